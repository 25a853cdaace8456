import { AppError, type ErrorCode, errorTable, toAppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text.ts';
import { loginCommand } from '../../config/next-command.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { shellWord } from '../../config/shell-word.ts';
import { visible, visibleWord } from '../../config/visible-text.ts';
import type { Output } from '../output.ts';
import type { ServerChoice } from './mcp-tools-choice.ts';
import type { ServerList } from './mcp-tools-lists.ts';

/** A server, or a whole file of them, that could not be asked. */
export interface Failure {
  readonly server: string | undefined;
  readonly error: AppError;
  /** The command that tells more, or that helps. */
  readonly next: string | undefined;
}

export function failuresOf(choice: ServerChoice, lists: readonly ServerList[]): readonly Failure[] {
  return [
    ...choice.broken.map((broken) => ({ ...broken, next: undefined })),
    ...lists.flatMap(({ entry, failure }) =>
      failure === undefined ? [] : [{ server: entry.id, error: failure, next: nextCommand(entry, failure) }],
    ),
  ];
}

/** On stderr: who was not asked, in one line, and each that failed in one of its own. */
export function tellFailures(output: Output, { skipped }: ServerChoice, failures: readonly Failure[]): void {
  const passedOver = skipped.map(({ server, reason }) => `${visibleWord(server)} (${reason})`);
  if (passedOver.length > 0) output.complain(`Not asked: ${passedOver.join(', ')}`);
  // One alone is what the command ends with.
  if (failures.length > 1) for (const failure of failures) output.complain(sentence(failure));
}

/** What the command as a whole ends with; undefined when nothing failed. Of several the highest status counts. */
export function worstFailure(failures: readonly Failure[], asked: number): AppError | undefined {
  const [worst] = failures.toSorted((a, b) => errorTable[b.error.code].exit - errorTable[a.error.code].exit);
  if (worst === undefined) return undefined;
  const { code, cause } = worst.error;
  if (failures.length === 1)
    return new AppError(code, sentence(worst), {
      cause,
      data: { ...worst.error.data, server: worst.server, next: worst.next },
    });
  const names = failures.flatMap(({ server }) => server ?? []);
  const message = `${failures.length} of ${asked} could not be asked: ${names.map(visibleWord).join(', ')}.`;
  return new AppError(code, message, { cause, data: { servers: names } });
}

/** Runs what concerns one server, and says of what goes wrong which one it was and what to do next. */
export async function asFailureOf<Result>(entry: ServerEntry, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    const error = toAppError(thrown);
    if (OWN_WORDS.includes(error.code)) throw error;
    throw worstFailure([{ server: entry.id, error, next: nextCommand(entry, error) }], 1) ?? error;
  }
}

/** They say what was looked for and where. */
const OWN_WORDS: readonly ErrorCode[] = ['USAGE', 'TOOL_NOT_FOUND', 'RESOURCE_NOT_FOUND', 'CANCELLED'];

/** For a JSON document. */
export function failureDocuments(failures: readonly Failure[]): readonly object[] {
  return failures.map(({ server, error: { code, message }, next }) => ({ server, code, message, next }));
}

function sentence({ server, error, next }: Failure): string {
  const head = server === undefined ? '' : `${visibleWord(server)}: `;
  const told = visible(oneLine(error.message, MAX_MESSAGE));
  const isNamed = next === undefined || told.includes(next);
  return `${head}${told}${isNamed ? '' : `${/[.!?]$/.test(told) ? '' : '.'} Run: ${next}`}`;
}

const MAX_MESSAGE = 300;

function nextCommand(entry: ServerEntry, { code }: AppError): string | undefined {
  // It runs, and does not have or do this one thing.
  if (['REQUEST_FAILED', 'METHOD_NOT_FOUND', 'PROMPT_NOT_FOUND'].includes(code)) return undefined;
  if (code === 'SIGN_IN_NEEDED') return loginCommand(entry);
  const { layer, file } = entry.origin;
  const config = layer === 'explicit' ? `--config ${shellWord(file)} ` : '';
  return `switchboard mcp test ${config}${shellWord(entry.id)}`;
}
