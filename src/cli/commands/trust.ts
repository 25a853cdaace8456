import { describe, place } from '../../config/problem.ts';
import type { HttpSettings, StdioSettings } from '../../config/server-entry.ts';
import { type TrustedEntry, trustProject, untrustProject } from '../../config/trust-project.ts';
import { visible, visibleWord } from '../../config/visible-text.ts';
import type { CommandContext } from '../main.ts';
import { readTrustArguments, toFolder } from './trust-arguments.ts';
import { findServer, trustServer } from './trust-server.ts';

interface TrustContext extends Pick<CommandContext, 'output' | 'env'> {
  readonly cwd: string;
  readonly home: string;
}

/**
 * `switchboard trust [dir]`: shows exactly what the project may start from now on, and remembers it.
 * `switchboard trust <server>` does the same with tools that were held back.
 */
export async function trust(args: readonly string[], context: TrustContext): Promise<void> {
  const { output } = context;
  const asked = readTrustArguments('trust', args);
  const server = await findServer(asked, context);
  if (server !== undefined) return trustServer(server, asked, context);
  const { isJson } = asked;
  const folder = toFolder('trust', asked, context.cwd);
  const { entries, problems } = trustProject({ ...context, dir: folder, platform: process.platform });
  if (isJson) {
    const trusted = entries.map(toShown);
    return output.answer(visible(JSON.stringify({ folder, trusted, problems })));
  }
  for (const problem of problems) output.complain(`Not trusted: ${describe(problem)}`);
  // What is broken could not be looked at: that is no success.
  if (problems.length > 0) process.exitCode = CONFIG_INVALID;
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
  const asked = readTrustArguments('untrust', args);
  const { isJson } = asked;
  const folder = toFolder('untrust', asked, context.cwd);
  const { forgotten } = untrustProject({ ...context, dir: folder, platform: process.platform });
  const untrusted = forgotten.map(({ id, file }) => ({ id, file }));
  if (isJson) return output.answer(visible(JSON.stringify({ folder, untrusted })));
  if (untrusted.length === 0) return output.answer(`Nothing was trusted in ${visible(folder)}.`);
  const lines = untrusted.map(({ id, file }) => `  ${visibleWord(id)} of ${visible(file)}`);
  output.answer([`No longer trusted:`, ...lines].join('\n'));
}

/** The exit status for a config that cannot be used. */
const CONFIG_INVALID = 7;

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
  if (transport.kind === 'http')
    return { url: transport.url, headers: Object.keys(transport.headers), envVars: variablesSent(transport) };
  const { command, args, cwd, env, envVars, inheritEnv } = transport;
  return { command, args, cwd, env: Object.keys(env), envVars, inheritEnv };
}

/** Variables of ours whose values it gets. */
function variablesSent({ headerEnv, bearerTokenEnv, oauth }: HttpSettings): readonly string[] {
  return [...Object.values(headerEnv), bearerTokenEnv, oauth?.clientSecretEnv].filter((name) => name !== undefined);
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
    return [
      ['url', visible(transport.url)],
      ...names('headers', Object.keys(transport.headers), HIDDEN),
      ...names('passed on', variablesSent(transport), ' (from your environment)'),
    ];
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
