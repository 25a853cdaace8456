import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { ImportPlan, PlannedServer } from '../../clients/import/plan-import.ts';
import { type Arguments, usageError } from '../arguments/parse-arguments.ts';
import { ask, canPrompt } from '../terminal/confirm.ts';
import { IMPORT_RULES } from './rules.ts';

export interface Choice {
  /** Indexes of the servers to import; undefined if the user declines. */
  readonly chosen: readonly number[] | undefined;
  /** Whether a person answered, so that the command can ask more questions. */
  readonly isAnswer: boolean;
}

/**
 * Returns the servers to import: those that are named, all, or those that the user picks. Throws USAGE if it
 * would have to ask but cannot.
 */
export async function chooseServers({ servers }: ImportPlan, parsed: Arguments): Promise<Choice> {
  const { positionals } = parsed;
  const all = servers.map((_, index) => index);
  if (positionals.length > 0) return given(positionals.flatMap((name) => indexesOf(name, servers)));
  if (['--all', '--yes', '--dry-run'].some((flag) => parsed.has(flag))) return given(all);
  if (!servers.some(({ action }) => action === 'added' || action === 'replaced')) return given(all);
  const example = quoteIfNeeded(servers[0]?.id ?? 'name');
  if (parsed.isJson || !canPrompt())
    throw usageError(
      IMPORT_RULES,
      `Found ${servers.length === 1 ? '1 server' : `${servers.length} servers`}, but there is no terminal to ask which to import. Nothing was imported. Run ${programName()} import --all, or name servers: ${programName()} import ${example}.`,
    );
  return { chosen: await prompt(servers, all), isAnswer: true };
}

function given(chosen: readonly number[]): Choice {
  return { chosen, isAnswer: false };
}

async function prompt(
  servers: readonly PlannedServer[],
  all: readonly number[],
): Promise<readonly number[] | undefined> {
  const count = servers.length === 1 ? 'it' : `all ${servers.length}`;
  const answer = await ask(`\nImport ${count}? [Y/n/pick] `, NOTHING);
  if (answer === undefined || /^\s*no?\s*$/i.test(answer)) return undefined;
  if (/^\s*(?:y(?:es)?)?\s*$/i.test(answer)) return all;
  if (!/^\s*p(?:ick)?\s*$/i.test(answer)) return pick(answer, servers);
  const list = servers.map(({ id }, index) => `  ${index + 1}  ${quoteIfNeeded(id)}`).join('\n');
  const picked = await ask(`${list}\nNumbers or names, separated by spaces: `, NOTHING);
  return picked === undefined || picked.trim() === '' ? undefined : pick(picked, servers);
}

const NOTHING = 'Nothing was imported.';

function pick(answer: string, servers: readonly PlannedServer[]): readonly number[] {
  const words = answer.split(/[\s,]+/).filter((word) => word !== '');
  return words.flatMap((word) => {
    const number = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    return number >= 1 && number <= servers.length ? [number - 1] : indexesOf(word, servers);
  });
}

/** Finds servers by their id in our config or by their name in a client. */
function indexesOf(name: string, servers: readonly PlannedServer[]): readonly number[] {
  const namesOf = ({ id, server, duplicates }: PlannedServer) => [
    id,
    ...[server, ...duplicates].map((one) => one.name),
  ];
  const byId = servers.flatMap(({ id }, index) => (id === name ? [index] : []));
  const found =
    byId.length > 0 ? byId : servers.flatMap((server, index) => (namesOf(server).includes(name) ? [index] : []));
  if (found.length > 0) return found;
  const [near] = nearestNames(name, servers.flatMap(namesOf));
  const hint = near === undefined ? `See: ${programName()} import --dry-run` : `Did you mean ${quoteIfNeeded(near)}?`;
  throw new AppError('USAGE', `No client has a server ${quoteIfNeeded(name)}. Nothing was imported. ${hint}`);
}

export function nothingChosenError(): AppError {
  return new AppError('DENIED', NOTHING);
}
