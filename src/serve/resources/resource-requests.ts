import { AppError, isAppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { Server } from '../server.ts';
import { reportHandlerError } from '../tools/handler-error.ts';

/**
 * Answers the resource requests that both eras share. Returns undefined for every other method, and for a server
 * without resources.
 */
export function answerResources(
  server: Server,
  method: string,
  params: unknown,
): Promise<Readonly<Record<string, unknown>>> | undefined {
  const { resources } = server;
  if (resources === undefined) return undefined;
  switch (method) {
    case 'resources/list':
      return callProvider(server, method, async () => ({ resources: await resources.list() }));
    case 'resources/templates/list':
      return callProvider(server, method, async () => ({ resourceTemplates: resources.templates }));
    case 'resources/read': {
      const uri = requireUri(method, params);
      return callProvider(server, method, async () => ({ ...(await resources.read(uri)) })).catch((error) => {
        throw isNotFound(error) ? notFound(error, uri) : error;
      });
    }
  }
  return undefined;
}

export function requireUri(method: string, params: unknown): string {
  const uri = isObject(params) ? params['uri'] : undefined;
  if (typeof uri !== 'string')
    throw new AppError('INVALID_PARAMS', `${method} needs params.uri, the URI of a resource.`);
  return uri;
}

export function isNotFound(error: unknown): error is AppError {
  return isAppError(error) && error.code === 'RESOURCE_NOT_FOUND';
}

/** Calls the provider. The client gets the message of an error; the server's author gets the stack. */
async function callProvider<Result>(server: Server, method: string, answer: () => Promise<Result>): Promise<Result> {
  try {
    return await answer();
  } catch (error) {
    if (!isAppError(error)) reportHandlerError(server, error, method);
    throw error;
  }
}

/** Adds the URI to the data, where clients look for it, whether or not the provider did. */
function notFound(error: AppError, uri: string): AppError {
  return new AppError('RESOURCE_NOT_FOUND', error.message, { cause: error, data: { ...error.data, uri } });
}
