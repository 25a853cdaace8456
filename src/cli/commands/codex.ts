import { statSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { CODEX_INTRODUCTION, compatIntroduction } from '../../codex/introductions.ts';
import { resolvePath } from '../../config/folders.ts';
import { StdioTransport } from '../../serve/fronts/stdio.ts';
import { GreetedTransport } from '../../serve/greeted-transport.ts';
import { STOP_SIGNALS } from '../../serve/stop-signals.ts';
import { readCodexOptions } from '../codex-options.ts';
import type { CommandContext } from '../main.ts';

/**
 * `switchboard codex`: Codex behind MCP tools, on stdin and stdout, until the client leaves or we are told to end.
 * Only what answers a client's hello is loaded here; the server itself comes after that.
 */
export async function codex(args: readonly string[], context: CommandContext): Promise<void> {
  const options = readCodexOptions(args);
  const roots = options.roots.map((root) => checkRoot(root, context));
  if (process.stdin.isTTY) context.output.complain(FOR_PEOPLE);
  const machine = `${process.platform}; ${process.arch}`;
  const stdio = new StdioTransport();
  for (const [signal, number] of STOP_SIGNALS) {
    process.once(signal, () => {
      process.exitCode = 128 + number;
      stdio.stop();
    });
  }
  const transport = new GreetedTransport(
    stdio,
    options.tools === 'compat' ? compatIntroduction(machine) : CODEX_INTRODUCTION,
  );
  await transport.listen();
  try {
    await (await import('../run-codex.ts')).runCodex({ ...options, roots }, context, { transport, machine });
  } finally {
    // A client that keeps its end open would keep us as well.
    await stdio.close();
  }
  const failure = stdio.failure();
  if (failure !== undefined) throw failure;
}

const FOR_PEOPLE = 'Waiting for an MCP client on stdin. How to connect one: docs/codex.md (Ctrl+C ends this)';

function checkRoot(root: string, context: CommandContext): string {
  const folder = resolvePath(root, { ...context, platform: process.platform });
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new AppError('USAGE', `--allow-root: there is no folder ${folder}.`);
}
