import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';

interface UnknownOptionContext {
  /** As it is typed: `switchboard gateway`. */
  readonly command: string;
  readonly known: readonly string[];
}

/** An option or word that a command does not take, with the nearest one that it does. */
export function unknownOption(arg: string, { command, known }: UnknownOptionContext): AppError {
  const [near] = arg.startsWith('-') ? nearestNames(arg.replace(/=.*$/s, ''), known) : [];
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return new AppError(
    'USAGE',
    `${command} does not know ${JSON.stringify(oneLine(arg))}.${hint} See: ${command} --help`,
  );
}
