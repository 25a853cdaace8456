import { AppError, errorTable } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import type { Output } from '../../output.ts';
import { failureText, type ServerFailure, toServerError, toServerFailure } from '../servers/server-failure.ts';
import type { ServerChoice } from './choose-servers.ts';
import type { ServerList } from './list-servers.ts';

export function failuresOf(choice: ServerChoice, lists: readonly ServerList[]): readonly ServerFailure[] {
  return [
    ...choice.broken.map((broken) => ({ ...broken, next: undefined })),
    ...lists.flatMap(({ entry, failure }) => (failure === undefined ? [] : [toServerFailure(entry, failure)])),
  ];
}

/** On stderr: who was not asked, in one line, and each that failed in one of its own. */
export function reportFailures(output: Output, choice: ServerChoice, failures: readonly ServerFailure[]): void {
  if (choice.reported.length > 0) output.report(skippedText(choice));
  // One alone is what the command ends with.
  if (failures.length > 1) for (const failure of failures) output.report(failureText(failure));
}

export function skippedText({ reported: told }: ServerChoice): string {
  const passedOver = told.map(({ server, reason }) => `${quoteIfNeeded(server)} (${reason})`);
  return `Not asked: ${passedOver.join(', ')}`;
}

/** What the command as a whole ends with; undefined when nothing failed. Of several the highest status counts. */
export function worstFailure(failures: readonly ServerFailure[], asked: number): AppError | undefined {
  const [worst] = failures.toSorted((a, b) => errorTable[b.error.code].exit - errorTable[a.error.code].exit);
  if (worst === undefined) return undefined;
  if (failures.length === 1) return toServerError(worst);
  const names = failures.flatMap(({ server }) => server ?? []);
  const message = `${failures.length} of ${asked} could not be asked: ${names.map(quoteIfNeeded).join(', ')}.`;
  return new AppError(worst.error.code, message, { cause: worst.error.cause, data: { servers: names } });
}

/** For a JSON document. */
export function failureDocuments(failures: readonly ServerFailure[]): readonly object[] {
  return failures.map(({ server, error: { code, message }, origin, next }) => ({
    ...{ server, code, message },
    ...(origin === undefined ? {} : { file: origin.file, line: origin.line }),
    next,
  }));
}
