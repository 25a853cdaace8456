import { toAppError } from '../base/errors.ts';
import type { HostLog } from './host-log.ts';
import type { HostQuestions } from './host-questions.ts';
import { type HostParams, HostRequest, type HostRequestOptions } from './host-request.ts';
import type { HostServer } from './host-server.ts';

/** Asks a server for something; rejects with the server's error or ours. */
export type AskServer = (
  server: HostServer,
  method: string,
  params: HostParams,
  options?: HostRequestOptions,
) => Promise<unknown>;

export interface HostRequestsOptions {
  readonly questions: HostQuestions;
  readonly isSigningIn: (serverId: string) => boolean;
  readonly log: HostLog;
}

export function createHostRequests({ questions, isSigningIn, log }: HostRequestsOptions): AskServer {
  return async ({ upstream }, method, params, options = {}) => {
    const request = new HostRequest(method, params, options, {
      isHeld: () => questions.isAskedBy(upstream) || isSigningIn(upstream.id),
      onAnswered: method === 'tools/call' ? upstream.tally.answered : undefined,
    });
    log.sent(upstream, method, params);
    upstream.call(request);
    request.cancelWith(options.signal, (reason) => upstream.cancel(request, reason));
    try {
      return await request.answered;
    } catch (error) {
      log.failed(upstream, method, toAppError(error));
      throw error;
    }
  };
}
