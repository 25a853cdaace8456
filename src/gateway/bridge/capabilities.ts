import { AppError } from '../../base/errors.ts';
import { isObject, type JsonRpcMessage } from '../../wire/messages.ts';

/** Which capability a client must have declared to be asked this. Whatever is not listed is passed on. */
const REQUIRED_CAPABILITY: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
};

/** Why this client is not asked: the error is the one that it would have to give itself. Undefined: it is asked. */
export function missingCapability(message: JsonRpcMessage, capabilities: unknown): AppError | undefined {
  const method = String(message.method);
  const needed = Object.hasOwn(REQUIRED_CAPABILITY, method) ? REQUIRED_CAPABILITY[method] : undefined;
  if (needed === undefined) return undefined;
  const declared = isObject(capabilities) ? capabilities[needed] : undefined;
  if (!isObject(declared)) return new AppError('METHOD_NOT_FOUND', `Method not found: the client has no ${needed}.`);
  return needed === 'elicitation' ? unsupportedMode(message, declared) : undefined;
}

/** A client that declares no mode means forms; one that names modes means those alone. */
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
