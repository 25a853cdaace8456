import { AppError } from '../../base/errors.ts';
import { toError } from '../../config/problem.ts';
import type { ConfiguredServer, ServerEntry } from '../../config/server-entry.ts';
import { visible } from '../../config/visible-text.ts';
import type { CommandContext } from '../main.ts';
import { enableAdvice } from './mcp-answers.ts';
import { chooseFrom } from './mcp-chosen-entry.ts';
import { type Definitions, readDefinitions, surroundingsOf } from './mcp-sources.ts';
import { createServerMatch } from './mcp-tools-match-server.ts';

/** Which servers are asked, and why the others are not. */
export interface ServerChoice {
  readonly entries: readonly ServerEntry[];
  /** Off or untrusted: somebody wants it so, and it is no failure. */
  readonly skipped: readonly { readonly server: string; readonly reason: string }[];
  /** What nobody can read may be what is looked for. */
  readonly broken: readonly { readonly server: string | undefined; readonly error: AppError }[];
  /** Nothing stands in any file. */
  readonly isEmpty: boolean;
}

/** The one that is named, as `mcp test` takes it, or all that can be used and could have what the pattern fits. */
export async function chooseServers(
  id: string | undefined,
  context: CommandContext,
  pattern?: string,
): Promise<ServerChoice> {
  const definitions = await readDefinitions(surroundingsOf(context));
  if (id === undefined) return pattern === undefined ? chooseAll(definitions) : chooseNamed(definitions, pattern);
  const entry = await chooseFrom(definitions, { id, action: 'ask' });
  return { entries: [entry], skipped: [], broken: [], isEmpty: false };
}

function chooseAll({ servers, files, problems }: Definitions): ServerChoice {
  const brokenFiles = files.filter(({ state }) => state === 'broken').map(({ file }) => file);
  const faults = problems.filter(({ file }) => brokenFiles.includes(file)).map((problem) => toError(problem));
  const broken = [...faults.map((error) => ({ server: undefined, error })), ...servers.flatMap(brokenEntry)];
  return {
    entries: servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : [])),
    skipped: servers.flatMap(skippedEntry),
    broken,
    isEmpty: servers.length === 0 && broken.length === 0,
  };
}

/** Whoever writes `github.*` means a server, and does not wait for the others. A pattern that names none may be of any. */
function chooseNamed(definitions: Definitions, pattern: string): ServerChoice {
  const isNamed = createServerMatch(pattern);
  const servers = definitions.servers.filter(({ id }) => isNamed(id));
  return chooseAll(servers.length === 0 ? definitions : { ...definitions, servers, files: [] });
}

function brokenEntry({ id, verdict }: ConfiguredServer): ServerChoice['broken'] {
  if (verdict.kind !== 'error') return [];
  return [{ server: id, error: new AppError('CONFIG_INVALID', visible(verdict.reason), { data: { server: id } }) }];
}

function skippedEntry(server: ConfiguredServer): ServerChoice['skipped'] {
  const { id, verdict } = server;
  if (verdict.kind !== 'disabled') return [];
  // The reason of one without trust names the command already.
  const reason = verdict.isUntrusted ? verdict.reason : `${verdict.reason}. ${enableAdvice(server)}`;
  return [{ server: id, reason: visible(reason) }];
}
