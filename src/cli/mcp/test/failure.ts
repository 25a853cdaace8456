import { AppError, errorTable } from '../../../base/errors.ts';
import { visibleWord } from '../../../base/text/visible-text.ts';
import { toError } from '../../../config/problem.ts';
import type { ConfigProblem } from '../../../config/server-entry.ts';
import type { Tested } from './run-tests.ts';

/** What the command as a whole ends with: of several failures the one with the highest status. */
export function worstFailure(
  tested: readonly Tested[],
  unreadable: readonly ConfigProblem[] = [],
): AppError | undefined {
  const failures = tested.flatMap((one) => failureOf(one) ?? []);
  const all = [...failures, ...unreadable.map((problem) => toError(problem))];
  const worst = all.toSorted((a, b) => errorTable[b.code].exit - errorTable[a.code].exit)[0];
  if (worst === undefined || failures.length === 0 || tested.length === 1) return worst;
  const message = `${failures.length} of ${tested.length} servers failed. ${worst.message}`;
  return new AppError(worst.code, message, { ...(worst.data === undefined ? {} : { data: worst.data }) });
}

function failureOf({ subject: { id }, report: { failed, unusable } }: Tested): AppError | undefined {
  const data = { server: id };
  if (failed !== undefined) {
    const { code, message } = failed.error;
    return new AppError(code, `${visibleWord(id)}: ${message}`, { data: { ...data, step: failed.step } });
  }
  const [first] = unusable;
  if (first === undefined) return undefined;
  const what = `${unusable.length} tool${unusable.length === 1 ? '' : 's'} of ${visibleWord(id)} cannot be offered`;
  return new AppError('TOOL_INVALID', `${what}: ${visibleWord(first.name)}: ${first.reason}`, { data });
}
