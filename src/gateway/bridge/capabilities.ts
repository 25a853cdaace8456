import { AppError } from '../../base/errors.ts';
import { isObject, type JsonRpcMessage } from '../../wire/messages.ts';

/**
 * The capability that a client must have declared to receive a request. Methods that are not listed are always
 * forwarded.
 */
const REQUIRED_CAPABILITY: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/**
 * Returns the error that the client itself would have to return, or undefined if the request can be forwarded to it.
 */
export function missingCapability(message: JsonRpcMessage, capabilities: unknown): AppError | undefined {
  const method = String(message.method);
  const needed = Object.hasOwn(REQUIRED_CAPABILITY, method) ? REQUIRED_CAPABILITY[method] : undefined;
  if (needed === undefined) return undefined;
  const declared = isObject(capabilities) ? capabilities[needed] : undefined;
  if (!isObject(declared)) return new AppError('METHOD_NOT_FOUND', `Method not found: the client has no ${needed}.`);
  return needed === 'elicitation' ? unsupportedMode(message, declared) : undefined;
}

/**
 * Returns an error for an unsupported elicitation mode. A client that declares no mode supports forms only; a client
 * that declares modes supports only those.
 */
function unsupportedMode(
  { params }: JsonRpcMessage,
  declared: Readonly<Record<string, unknown>>,
): AppError | undefined {
  const requested = isObject(params) ? params['mode'] : undefined;
  const mode = typeof requested === 'string' ? requested : 'form';
  const hasModes = 'form' in declared || 'url' in declared;
  if (hasModes ? isObject(declared[mode]) : mode === 'form') return undefined;
  return new AppError('INVALID_PARAMS', `The client does not support elicitation of mode ${JSON.stringify(mode)}.`);
}
