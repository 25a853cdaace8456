import { createLog } from '../../base/log.ts';
import { openProcesses } from '../../base/process/processes.ts';
import { readEnvironment } from '../../codex/environment.ts';
import { StdioTransport } from '../../serve/fronts/stdio.ts';
import { serveClient } from '../../serve/serve-client.ts';
import { STOP_SIGNALS } from '../../serve/stop-signals.ts';
import { readCodexOptions } from '../codex-options.ts';
import type { CommandContext } from '../main.ts';
import { openCodex } from '../open-codex.ts';
import { createSecrets } from '../secrets.ts';

/** `switchboard codex`: Codex behind MCP tools, on stdin and stdout, until the client leaves or we are told to end. */
export async function codex(args: readonly string[], context: CommandContext): Promise<void> {
  const options = readCodexOptions(args);
  const environment = readEnvironment(context.env);
  const { redact } = createSecrets(context.env);
  const log = createLog({ level: environment.logLevel, write: context.output.complain, redact });
  for (const problem of environment.problems) log.warn(problem);
  if (process.stdin.isTTY) context.output.complain(FOR_PEOPLE);
  const processes = openProcesses({ env: context.env });
  const { server, sessions } = openCodex(options, { environment, context, log, processes });
  const transport = new StdioTransport();
  for (const [signal, number] of STOP_SIGNALS) {
    process.once(signal, () => {
      process.exitCode = 128 + number;
      transport.stop();
    });
  }
  try {
    await serveClient(server, transport);
  } finally {
    await sessions.close();
    await processes.close();
    // Nothing that is still open may keep us: all has been said and stopped.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
  const failure = transport.failure();
  if (failure !== undefined) throw failure;
}

const FOR_PEOPLE = 'Waiting for an MCP client on stdin. How to connect one: docs/codex.md (Ctrl+C ends this)';
const LINGER_MS = 100;
