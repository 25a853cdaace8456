import type { ConfigWatcher } from '../../config/watch/watch-config.ts';
import type { HttpPlan, TlsPaths } from '../../serve/access/address/plan-http.ts';
import type { WatchTlsOptions } from '../../serve/access/address/watch-tls.ts';
import { type HttpFront, openHttpFront } from '../../serve/fronts/http/open-http-front.ts';
import type { Routes } from '../../serve/fronts/http/route-request.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { openHttpAccess } from './http-access.ts';
import { createHttpSessionIds, type HttpSessionIdsOptions } from './http-session-ids.ts';

export interface ListenOptions {
  readonly plan: HttpPlan;
  readonly context: CommandContext;
  /** Prefix of the names of the files that store sessions for the next process. */
  readonly sessionFiles: HttpSessionIdsOptions['name'];
  /** Another process listens, and passes on its connections. */
  readonly isSuccessor?: boolean;
  /** Called once. `isStopping` turns true when the server is closed. */
  readonly createRoutes: (isStopping: () => boolean) => Routes;
  /** Called with the id of a token that is no longer valid. */
  readonly onRevoked?: (tokenId: string) => void;
}

export interface Listening {
  readonly front: HttpFront;
  /** Lets running calls finish, then ends all connections. Never throws. */
  close(options?: Parameters<HttpFront['close']>[0]): Promise<void>;
}

/**
 * Opens the HTTP front that the options describe: with tokens, a certificate, and sessions that outlive the process.
 */
export async function listenForClients(options: ListenOptions): Promise<Listening> {
  const { plan, context, sessionFiles, isSuccessor = false, createRoutes, onRevoked } = options;
  const environment = environmentOf(context);
  const { report } = context.output;
  const access = await openHttpAccess(plan, { environment, onProblem: report });
  const tls = plan.tls && (await import('../../serve/access/address/load-tls.ts')).loadTls(plan.tls, environment);
  for (const warning of [...plan.warnings, ...(tls?.warnings ?? [])]) report(warning);
  const sessionIds = createHttpSessionIds({ name: sessionFiles, ...plan.address, environment, onProblem: report });
  let isStopping = false;
  const front = await openHttpFront({
    listen: plan.address,
    isSuccessor,
    access,
    ...(tls === undefined ? {} : { tls }),
    ...(sessionIds === undefined ? {} : { sessionIds }),
    publicUrl: plan.publicUrl,
    ...createRoutes(() => isStopping),
  });
  const stopWatching = onRevoked && access.onRevoked(onRevoked);
  const certificate =
    tls &&
    plan.tls &&
    (await watchCertificate(plan.tls, { environment, current: tls, use: front.setCertificate, report }));
  return {
    front,
    async close(closeOptions) {
      isStopping = true;
      certificate?.close();
      await front.close(closeOptions);
      stopWatching?.();
      access.close();
    },
  };
}

async function watchCertificate(paths: TlsPaths, options: WatchTlsOptions): Promise<ConfigWatcher> {
  const { watchTls } = await import('../../serve/access/address/watch-tls.ts');
  return watchTls(paths, options);
}
