import { exitStatus } from '../../../base/error-translation.ts';
import { AppError } from '../../../base/errors.ts';
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

/** Reports on stderr: all skipped servers on one line, and each failure on its own line. */
export function reportFailures(output: Output, choice: ServerChoice, failures: readonly ServerFailure[]): void {
  if (choice.reported.length > 0) output.report(skippedText(choice));
  // A single failure is already the error of the command.
  if (failures.length > 1) for (const failure of failures) output.report(failureText(failure));
}

export function skippedText({ reported }: ServerChoice): string {
  const passedOver = reported.map(({ server, reason }) => `${quoteIfNeeded(server)} (${reason})`);
  return `Skipped: ${passedOver.join(', ')}`;
}

/** Returns the error of the whole command; undefined without failures. Of several, the highest exit status wins. */
export function worstFailure(failures: readonly ServerFailure[], asked: number): AppError | undefined {
  const [worst] = failures.toSorted((a, b) => exitStatus(b.error.code) - exitStatus(a.error.code));
  if (worst === undefined) return undefined;
  if (failures.length === 1) return toServerError(worst);
  const names = failures.flatMap(({ server }) => server ?? []);
  const message = `${failures.length} of ${asked} could not be queried: ${names.map(quoteIfNeeded).join(', ')}.`;
  return new AppError(worst.error.code, message, { cause: worst.error.cause, data: { servers: names } });
}

/** Converts failures for a JSON document. */
export function failureDocuments(failures: readonly ServerFailure[]): readonly object[] {
  return failures.map(({ server, error: { code, message }, origin, next }) => ({
    ...{ server, code, message },
    ...(origin === undefined ? {} : { file: origin.file, line: origin.line }),
    next,
  }));
}
