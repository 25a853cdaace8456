import { AppError } from '../../base/errors.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { CommandContext } from '../main.ts';
import { chooseFrom } from './mcp-chosen-entry.ts';
import { type Definitions, readDefinitions, type Scope, surroundingsOf } from './mcp-sources.ts';

export interface Wanted {
  /** Undefined: all that are switched on. */
  readonly id: string | undefined;
  readonly scope: Scope | undefined;
}

/** The servers to test. */
export async function chooseEntries({ id, scope }: Wanted, context: CommandContext): Promise<readonly ServerEntry[]> {
  const definitions = await readDefinitions(surroundingsOf(context), scope);
  if (id === undefined) return allUsable(definitions);
  return [await chooseFrom(definitions, { id, scope, action: 'test' })];
}

function allUsable({ servers }: Definitions): readonly ServerEntry[] {
  const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : []));
  if (entries.length > 0) return entries;
  throw new AppError('USAGE', 'No server is configured that could be tested. Add one with switchboard mcp add.');
}
