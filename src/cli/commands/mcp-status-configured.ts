import { isDeepStrictEqual } from 'node:util';
import type { Surroundings } from '../../config/folders.ts';
import { enableCommand } from '../../config/next-command.ts';
import { place } from '../../config/problem.ts';
import type { ConfigProblem, Origin } from '../../config/server-entry.ts';
import type { ServerState } from '../../control/status.ts';
import { enableAdvice } from './mcp-answers.ts';
import { type ServerRow, toDefinedRows } from './mcp-list-rows.ts';
import { type Definitions, readDefinitions } from './mcp-sources.ts';

/** A server as files alone know it: nobody runs who could say more. */
export interface ConfiguredRow {
  readonly id: string;
  readonly transport: 'stdio' | 'http' | undefined;
  readonly source: string;
  readonly enabled: boolean;
  readonly state: Extract<ServerState, 'disabled' | 'error'> | '-';
  readonly note?: string;
  readonly next?: string;
  /** The file and the line of its entry. */
  readonly configured: string;
}

export interface Configured {
  readonly servers: readonly ConfiguredRow[];
  readonly problems: readonly ConfigProblem[];
  /** False when a file could not be read: servers may be missing. */
  readonly isWhole: boolean;
  readonly definitions: Definitions;
}

export async function readConfigured(surroundings: Surroundings): Promise<Configured> {
  const definitions = await readDefinitions(surroundings);
  const { problems, files } = definitions;
  return {
    servers: toDefinedRows(definitions).map(toConfigured),
    problems: problems.filter((one, index) => problems.findIndex((other) => isDeepStrictEqual(one, other)) === index),
    isWhole: files.every(({ state }) => state !== 'broken'),
    definitions,
  };
}

function toConfigured(row: ServerRow): ConfiguredRow {
  const { id, settings, origin, state } = row;
  return {
    ...{ id, transport: settings?.kind, source: origin.layer, enabled: state === 'on' },
    ...stateOf(row),
    configured: place(origin.file, origin.line),
  };
}

/** In the words that one who runs has for it. */
function stateOf(row: ServerRow): Pick<ConfiguredRow, 'state' | 'note' | 'next'> {
  const { id, state, reason, origin, switchedOffBy } = row;
  const note = reason === undefined ? {} : { note: reason };
  switch (state) {
    case 'on':
      return { state: '-' };
    case 'off':
      if (switchedOffBy !== undefined) return { state: 'disabled', ...switchedOff(id, switchedOffBy) };
      return reason === undefined ? { state: 'disabled', note: enableAdvice(row) } : { state: 'disabled', ...note };
    // Its reason ends with the command.
    case 'untrusted':
      return { state: 'disabled', ...note };
    case 'broken':
      return { state: 'error', ...note, next: `edit ${place(origin.file, origin.line)}` };
  }
}

function switchedOff(id: string, origin: Origin): Pick<ConfiguredRow, 'note' | 'next'> {
  const next = enableCommand({ id, origin });
  return { note: `switched off by ${place(origin.file, origin.line)}`, ...(next === undefined ? {} : { next }) };
}
