import { AppError, toAppError } from '../../base/errors.ts';
import {
  OwnRequest,
  type RequestHooks,
  type RequestOptions,
  type RequestParams,
} from '../../upstream/connection/own-request.ts';
import { RawJson, toJson } from '../../wire/messages.ts';
import type { HostContext } from '../host-config.ts';
import type { HostServerRequests } from '../server-requests/server-requests.ts';
import type { HostServer } from './host-server.ts';

/** Sends a request to a server; rejects with the server's error or the host's. */
export type SendRequest = (
  server: HostServer,
  method: string,
  params: RequestParams,
  options?: RequestOptions & Pick<RequestHooks, 'isIdempotent'>,
) => Promise<unknown>;

export function createSendRequest({ isSigningIn, log }: HostContext, serverRequests: HostServerRequests): SendRequest {
  return async ({ upstream }, method, params, options = {}) => {
    const request: OwnRequest = new OwnRequest(method, requireSerializable(params), {
      timeoutMs: options.timeoutMs,
      isIdempotent: options.isIdempotent,
      onProgress: options.onProgress,
      isDeadlinePaused: () => serverRequests.isBlocking(upstream, request) || isSigningIn(upstream.id),
      onAnswered: method === 'tools/call' ? upstream.history.callStats.record : undefined,
    });
    if (options.signal?.aborted === true) throw new AppError('CANCELLED', `${method} was cancelled.`);
    log.sent(upstream, method, params);
    upstream.call(request);
    request.cancelOnAbort(options.signal, (reason) => {
      upstream.cancel(request, reason);
      serverRequests.cancelFor(request);
    });
    try {
      return await request.value();
    } catch (error) {
      const failure = toAppError(error);
      log.failed(upstream, method, failure);
      throw failure;
    }
  };
}

/** Checks that the params can be serialized before any part of the request starts. */
function requireSerializable(params: RequestParams): RequestParams {
  if (params instanceof RawJson) return params;
  const json = toJson(params);
  if (json === undefined) throw new AppError('BAD_ARGUMENTS', 'The params cannot be written as JSON.');
  return params;
}
