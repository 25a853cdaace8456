import { AppError } from '../../../base/errors.ts';

/** The client for which a server produced its list. */
interface Availability {
  /** Process id of the gateway in between; undefined for a direct connection. */
  readonly gatewayPid: number | undefined;
  /** Whether the client has announced elicitation to the server. */
  readonly canPrompt: boolean;
}

/** Adds a hint that other clients may get the tool: many servers list tools depending on client capabilities. */
export function withAvailabilityHint(unknown: AppError, { gatewayPid, canPrompt }: Availability): AppError {
  const advice = availabilityHint({ gatewayPid, canPrompt: canPrompt });
  if (advice === undefined) return unknown;
  const { code, message, data, cause } = unknown;
  return new AppError(code, `${message} ${advice}`, { cause, data: { ...data, gatewayPid } });
}

function availabilityHint({ gatewayPid, canPrompt }: Availability): string | undefined {
  if (gatewayPid !== undefined)
    return `The gateway that runs (process id ${gatewayPid}) may not be offered it for its client: try --direct.`;
  return canPrompt ? undefined : 'Some tools are there only where somebody can be asked: try it on a terminal.';
}
