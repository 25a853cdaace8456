import { AppError } from '../../base/errors.ts';
import { isObject, type JsonRpcMessage } from '../messages.ts';

/** Returns a required string parameter of a request. Throws `INVALID_PARAMS` if it is missing. */
export function requireStringParam(
  { method, params }: Pick<JsonRpcMessage, 'method' | 'params'>,
  name: string,
): string {
  const value = isObject(params) ? params[name] : undefined;
  if (typeof value === 'string') return value;
  throw new AppError('INVALID_PARAMS', `${method} needs params.${name}.`);
}
