import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AppError } from '../../base/errors.ts';
import { describe, place } from '../../config/problem.ts';
import type { HttpSettings, StdioSettings } from '../../config/server-entry.ts';
import { type TrustedEntry, trustProject, untrustProject } from '../../config/trust-project.ts';
import { visible, visibleWord } from '../../config/visible-text.ts';
import type { CommandContext } from '../main.ts';

interface TrustContext extends Pick<CommandContext, 'output' | 'env'> {
  readonly cwd: string;
  readonly home: string;
}

/** `switchboard trust [dir]`: shows exactly what the project may start from now on, and remembers it. */
export async function trust(args: readonly string[], context: TrustContext): Promise<void> {
  const { output } = context;
  const { folder, isJson } = readArguments('trust', args, context);
  const { entries, problems } = trustProject({ ...context, dir: folder, platform: process.platform });
  if (isJson) {
    const trusted = entries.map(toShown);
    return output.answer(visible(JSON.stringify({ folder, trusted, problems })));
  }
  for (const problem of problems) output.complain(`Not trusted: ${describe(problem)}`);
  if (entries.length === 0)
    return output.answer(
      `Nothing to trust: no usable entry stands in a .mcp.json of ${visible(folder)} or a folder above it, nor in its .switchboard/config.json.`,
    );
  output.answer(entries.map(toText).join('\n\n'));
  const fresh = entries.filter(({ wasTrusted }) => !wasTrusted).length;
  output.answer(`\n${summary(entries.length, fresh)} If one of them changes, it needs your trust again.`);
}

/** `switchboard untrust [dir]`: forgets it again. */
export async function untrust(args: readonly string[], context: TrustContext): Promise<void> {
  const { output } = context;
  const { folder, isJson } = readArguments('untrust', args, context);
  const { forgotten } = untrustProject({ ...context, dir: folder, platform: process.platform });
  const untrusted = forgotten.map(({ id, file }) => ({ id, file }));
  if (isJson) return output.answer(visible(JSON.stringify({ folder, untrusted })));
  if (untrusted.length === 0) return output.answer(`Nothing was trusted in ${visible(folder)}.`);
  const lines = untrusted.map(({ id, file }) => `  ${visibleWord(id)} of ${visible(file)}`);
  output.answer([`No longer trusted:`, ...lines].join('\n'));
}

function readArguments(
  command: 'trust' | 'untrust',
  args: readonly string[],
  { cwd }: TrustContext,
): { readonly folder: string; readonly isJson: boolean } {
  const folders = args.filter((arg) => arg !== '--json');
  const option = folders.find((arg) => arg.startsWith('-'));
  const usage = `Usage: switchboard ${command} [dir] [--json]`;
  if (option !== undefined) throw new AppError('USAGE', `There is no option ${visibleWord(option)}. ${usage}`);
  if (folders.length > 1) throw new AppError('USAGE', `One folder at a time. ${usage}`);
  const folder = resolve(cwd, folders[0] ?? '.');
  const isJson = args.includes('--json');
  // Where a process that is started in it would be, whatever link leads there: the folders above are read too.
  if (isFolder(folder)) return { folder: realpathSync.native(folder), isJson };
  // A project that is gone can still be untrusted.
  if (command === 'untrust') return { folder, isJson };
  throw new AppError('USAGE', `This is not a folder: ${folder}. ${usage}`);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there or not to be reached: the same for whoever named it.
    return false;
  }
}

function summary(all: number, fresh: number): string {
  const known = all - fresh;
  const trusted = `Trusted ${fresh} server${fresh === 1 ? '' : 's'}.`;
  if (known === 0) return trusted;
  return fresh === 0 ? 'All of them were trusted already.' : `${trusted} ${known} more had been trusted already.`;
}

/** Names of variables and headers, never their values: those may be secrets. */
function toShown({ id, origin, transport, isSwitchedOff, wasTrusted }: TrustedEntry): object {
  const { file, line } = origin;
  return { id, file, line, ...(transport && transportFacts(transport)), isSwitchedOff, wasTrusted };
}

function transportFacts(transport: StdioSettings | HttpSettings): object {
  if (transport.kind === 'http') return { url: transport.url, headers: Object.keys(transport.headers) };
  const { command, args, cwd, env, envVars, inheritEnv } = transport;
  return { command, args, cwd, env: Object.keys(env), envVars, inheritEnv };
}

function toText({ id, origin, transport, isSwitchedOff }: TrustedEntry): string {
  const head = `${visibleWord(id)}, ${place(origin.file, origin.line)}${isSwitchedOff ? ', switched off' : ''}`;
  const facts = transport === undefined ? [] : transportLines(transport);
  return [head, ...facts.map(([name, value]) => `  ${name.padEnd(12)}${value}`)].join('\n');
}

function transportLines(transport: StdioSettings | HttpSettings): readonly (readonly [string, string])[] {
  const words = (list: readonly string[]) => list.map(visibleWord);
  const names = (name: string, list: readonly string[], note = '') =>
    list.length === 0 ? [] : [[name, words(list).join(', ') + note] as const];
  if (transport.kind === 'http')
    return [['url', visible(transport.url)], ...names('headers', Object.keys(transport.headers), HIDDEN)];
  const { command, args, cwd, env, envVars, inheritEnv } = transport;
  return [
    ['command', words([command, ...args]).join(' ')],
    ...names('folder', cwd === undefined ? [] : [cwd]),
    ...names('variables', Object.keys(env), HIDDEN),
    ...names('passed on', envVars, ' (from your environment)'),
    ...names('passed on', inheritEnv ? ['everything'] : [], ' (from your environment)'),
  ];
}

const HIDDEN = ' (values are not shown)';
