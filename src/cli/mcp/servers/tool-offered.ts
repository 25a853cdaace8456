import { AppError } from '../../../base/errors.ts';

/** To whom a server has shown its list. */
interface Availability {
  /** Of the gateway that it was reached through; undefined: by a connection of our own. */
  readonly gatewayPid: number | undefined;
  /** Whether the server knows that somebody can be asked. */
  readonly canPrompt: boolean;
}

/** A tool that is not there may be there for others: many servers go by what a client says that it can do. */
export function withAvailabilityHint(unknown: AppError, { gatewayPid, canPrompt: isAsked }: Availability): AppError {
  const advice = availabilityHint({ gatewayPid, canPrompt: isAsked });
  if (advice === undefined) return unknown;
  const { code, message, data, cause } = unknown;
  return new AppError(code, `${message} ${advice}`, { cause, data: { ...data, gatewayPid } });
}

function availabilityHint({ gatewayPid, canPrompt: isAsked }: Availability): string | undefined {
  if (gatewayPid !== undefined)
    return `The gateway that runs (process id ${gatewayPid}) may not be offered it for its client: try --direct.`;
  return isAsked ? undefined : 'Some tools are there only where somebody can be asked: try it on a terminal.';
}
