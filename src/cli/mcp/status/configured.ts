import { isDeepStrictEqual } from 'node:util';
import type { Environment } from '../../../config/files/folders.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { ConfigProblem, ConfiguredServer } from '../../../config/server-entry.ts';
import { diagnose } from '../../../control/status/diagnosis.ts';
import type { ServerState } from '../../../control/status/running-status.ts';
import { readDefinitions } from '../config/definitions.ts';
import { type ServerRow, toDefinedRows } from '../list/rows.ts';
import type { KnownProblem } from '../servers/known-problems.ts';

/** A server as defined in files, when no running instance knows more. */
export interface ConfiguredRow {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | undefined;
  readonly source: string;
  readonly enabled: boolean;
  readonly state: Extract<ServerState, 'disabled' | 'error'> | '-';
  readonly note?: string;
  readonly next?: string;
  /** File and line of its entry. */
  readonly configured: string;
}

export interface ConfiguredServers {
  readonly servers: readonly ConfiguredRow[];
  readonly problems: readonly ConfigProblem[];
  /** False when a file is unreadable, so that servers may be missing. */
  readonly isComplete: boolean;
  readonly definitions: Definitions;
}

export async function readConfigured(environment: Environment): Promise<ConfiguredServers> {
  const definitions = await readDefinitions(environment);
  const { problems, files } = definitions;
  const known = await loadKnownProblems(definitions, environment);
  return {
    servers: toDefinedRows(definitions).map((row, index) =>
      toConfigured(row, definitions.servers[index], known.get(row.id)),
    ),
    problems: problems.filter((one, index) => problems.findIndex((other) => isDeepStrictEqual(one, other)) === index),
    isComplete: files.every(({ state }) => state !== 'broken'),
    definitions,
  };
}

async function loadKnownProblems({ servers }: Definitions, environment: Environment) {
  const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : []));
  if (entries.length === 0) return new Map<string, KnownProblem>();
  return (await import('../servers/known-problems.ts')).findKnownProblems(entries, environment);
}

function toConfigured(
  { id, settings, origin, state }: ServerRow,
  server: ConfiguredServer | undefined,
  known: KnownProblem | undefined,
): ConfiguredRow {
  const { reason, next } = known ?? (server === undefined ? {} : diagnose(server, undefined));
  return {
    ...{ id, transport: settings?.kind, source: origin.layer, enabled: state === 'on', state: STATES[state] },
    ...(reason === undefined ? {} : { note: reason }),
    ...(next === undefined ? {} : { next }),
    configured: formatLocation(origin.file, origin.line),
  };
}

/** The corresponding states of a running instance. */
const STATES = { on: '-', off: 'disabled', untrusted: 'disabled', broken: 'error' } as const;
