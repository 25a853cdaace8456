import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';

interface UnknownOptionContext {
  /** As typed: `switchboard gateway`. */
  readonly command: string;
  readonly known: readonly string[];
}

/** Builds the error for an unknown option or argument, with the nearest known one. */
export function unknownOption(arg: string, { command, known }: UnknownOptionContext): AppError {
  const [near] = arg.startsWith('-') ? nearestNames(arg.replace(/=.*$/s, ''), known) : [];
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return new AppError(
    'USAGE',
    `${command} does not accept ${JSON.stringify(oneLine(arg))}.${hint} See: ${command} --help`,
  );
}
