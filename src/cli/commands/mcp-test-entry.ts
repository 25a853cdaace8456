import { AppError } from '../../base/errors.ts';
import { type Candidate, trustCommand } from '../../config/merge.ts';
import { place } from '../../config/problem.ts';
import type { ConfiguredServer, ServerEntry } from '../../config/server-entry.ts';
import { visible, visibleWord } from '../../config/visible-text.ts';
import type { CommandContext } from '../main.ts';
import { enableAdvice } from './mcp-answers.ts';
import { type Definitions, readDefinitions, type Scope, surroundingsOf } from './mcp-sources.ts';
import { agreesToTest } from './mcp-test-consent.ts';
import { unknownServer } from './mcp-unknown.ts';

export interface Wanted {
  /** Undefined: all that are switched on. */
  readonly id: string | undefined;
  readonly scope: Scope | undefined;
}

/** The servers to test. One that nobody trusts yet is shown to whoever sits at the terminal, and tested if they agree. */
export async function chooseEntries({ id, scope }: Wanted, context: CommandContext): Promise<readonly ServerEntry[]> {
  const definitions = await readDefinitions(surroundingsOf(context), scope);
  if (id === undefined) return allUsable(definitions);
  const server = definitions.servers.find((one) => one.id === id);
  if (server === undefined) throw unknownServer(id, definitions, scope);
  const { verdict } = server;
  if (verdict.kind === 'usable') return [verdict.entry];
  const name = `${visibleWord(id)} (${place(server.origin.file, server.origin.line)})`;
  const reason = visible(verdict.reason);
  if (verdict.kind === 'error') throw new AppError('CONFIG_INVALID', `${name} cannot be used: ${reason}`);
  if (verdict.isUntrusted) return [await agreed(definitions.chosen.get(id), server)];
  throw new AppError('USAGE', `${name} is off: ${reason}. ${enableAdvice(server)}`);
}

function allUsable({ servers }: Definitions): readonly ServerEntry[] {
  const entries = servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? verdict.entry : []));
  if (entries.length > 0) return entries;
  throw new AppError('USAGE', 'No server is configured that could be tested. Add one with switchboard mcp add.');
}

async function agreed(candidate: Candidate | undefined, { id, origin }: ConfiguredServer): Promise<ServerEntry> {
  const content = candidate?.entry.content;
  const where = place(origin.file, origin.line);
  const refusal = () =>
    new AppError(
      'DENIED',
      `${visibleWord(id)} (${where}) is not trusted, and is not started. Run: ${trustCommand(origin)}`,
    );
  if (content?.kind !== 'on' || !process.stdin.isTTY || !process.stderr.isTTY) throw refusal();
  if (!(await agreesToTest(content.entry, where))) throw refusal();
  return content.entry;
}
