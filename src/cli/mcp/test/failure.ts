import { errorTable } from '../../../base/error-table.ts';
import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { toConfigError } from '../../../config/problem.ts';
import type { ConfigProblem } from '../../../config/server-entry.ts';
import type { TestedServer } from './run-tests.ts';

/** Returns the error of the whole command: of several failures the one with the highest exit status. */
export function worstTestFailure(
  tested: readonly TestedServer[],
  unreadable: readonly ConfigProblem[] = [],
): AppError | undefined {
  const failures = tested.flatMap((one) => toTestError(one) ?? []);
  const all = [...failures, ...unreadable.map((problem) => toConfigError(problem))];
  const worst = all.toSorted((a, b) => errorTable()[b.code].exit - errorTable()[a.code].exit)[0];
  if (worst === undefined || failures.length === 0 || tested.length === 1) return worst;
  const message = `${failures.length} of ${tested.length} servers failed. ${worst.message}`;
  return new AppError(worst.code, message, { ...(worst.data === undefined ? {} : { data: worst.data }) });
}

function toTestError({ subject: { id }, report: { failed, unusable } }: TestedServer): AppError | undefined {
  const data = { server: id };
  if (failed !== undefined) {
    const { code, message } = failed.error;
    return new AppError(code, `${quoteIfNeeded(id)}: ${message}`, { data: { ...data, step: failed.step } });
  }
  const [first] = unusable;
  if (first === undefined) return undefined;
  const what = `${unusable.length} tool${unusable.length === 1 ? '' : 's'} of ${quoteIfNeeded(id)} cannot be offered`;
  return new AppError('TOOL_INVALID', `${what}: ${quoteIfNeeded(first.name)}: ${first.reason}`, { data });
}
