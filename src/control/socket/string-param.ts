import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';

/** Returns a required string parameter. Throws `INVALID_PARAMS` if it is missing. */
export function requireStringParam(params: unknown, name: string): string {
  const value = isObject(params) ? params[name] : undefined;
  if (typeof value === 'string') return value;
  throw new AppError('INVALID_PARAMS', `params.${name} must be a string.`);
}
