import { AppError, isAppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';

export function requireUri(method: string, params: unknown): string {
  const uri = isObject(params) ? params['uri'] : undefined;
  if (typeof uri !== 'string')
    throw new AppError('INVALID_PARAMS', `${method} needs params.uri, the URI of a resource.`);
  return uri;
}

export function isNotFound(error: unknown): error is AppError {
  return isAppError(error) && error.code === 'RESOURCE_NOT_FOUND';
}
