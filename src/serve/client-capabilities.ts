import { AppError } from '../base/errors.ts';
import { isObject } from '../wire/messages.ts';

/** How long a client may take to answer a request of a handler, unless the handler overrides it. */
export const CLIENT_TIMEOUT_MS = 5 * 60_000;

/** Returns whether the client supports form elicitation. Declaring elicitation without a mode means forms. */
export function canElicit(capabilities: unknown): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  return isObject(elicitation) && (isObject(elicitation['form']) || elicitation['url'] === undefined);
}

export function cannotElicit(): AppError {
  return capabilityMissing('The tool must prompt the user, but the client did not declare elicitation.', {
    elicitation: {},
  });
}

/** The modern era sends this error with the capabilities that the client must declare. */
export function capabilityMissing(message: string, requiredCapabilities: object): AppError {
  return new AppError('CAPABILITY_MISSING', message, { data: { requiredCapabilities } });
}
