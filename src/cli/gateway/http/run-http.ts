import { createDeferred } from '../../../base/deferred.ts';
import { AppError } from '../../../base/errors.ts';
import { createGatewayEndpoints } from '../../../gateway/http/gateway-endpoints.ts';
import type { AggregateGateway } from '../../../gateway/open/open-aggregate.ts';
import type { Trace } from '../../../gateway/trace/trace.ts';
import { formatAddress } from '../../../serve/access/address/listen-address.ts';
import { type HttpOptions, type HttpPlan, planHttp } from '../../../serve/access/address/plan-http.ts';
import { type HttpFront, openHttpFront } from '../../../serve/fronts/http/open-http-front.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { exitSoon } from '../../exit-soon.ts';
import { openPlannedRestarts } from '../../http/restart/open-planned-restarts.ts';
import type { PlannedRestarts, Retirement } from '../../http/restart/planned-restarts.ts';
import { stopOnSignal } from '../../stop-on-signal.ts';
import { startBackgroundTasks } from '../background-tasks.ts';
import { openGateway } from '../open.ts';
import type { GatewayOptions } from '../options.ts';
import { createHealthPage } from './health.ts';
import { openHttpAccess } from './http-access.ts';
import { createHttpSessionIds } from './http-session-ids.ts';

/** Runs `switchboard gateway --http`: every server of the config for any number of clients, until a signal arrives. */
export async function runHttpGateway(
  options: GatewayOptions,
  httpOptions: HttpOptions,
  context: CommandContext,
): Promise<void> {
  const plan = planHttp(httpOptions);
  // Whoever calls a server with a personal sign-in acts as this user.
  if (plan.isExposed)
    throw new AppError('USAGE', 'For now, --http serves only this machine: listen on 127.0.0.1, without --public-url.');
  try {
    await serveUntilSignal(options, plan, context);
  } finally {
    exitSoon();
  }
}

async function serveUntilSignal(options: GatewayOptions, plan: HttpPlan, context: CommandContext): Promise<void> {
  const startedAt = Date.now();
  const restarts = openPlannedRestarts({
    env: context.env,
    refusal: plan.address.port === 0 ? NO_FIXED_PORT : undefined,
    report: context.output.report,
  });
  const { gateway, trace, reload, redactor } = await openGateway(options, context);
  const aggregate = reload?.gateway;
  if (aggregate === undefined) throw new AppError('USAGE', '--http serves the servers of a config.');
  const stop = createDeferred<Retirement>();
  stopOnSignal((signal) => {
    restarts.stop(signal);
    stop.resolve({ isUrgent: false });
  });
  for (const upstream of gateway.upstreams()) upstream.stayIdle();
  const served = await listen(aggregate, { plan, context, trace, restarts }).catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  const url = `${plan.tls === undefined ? 'http' : 'https'}://${formatAddress(served.front.address)}/mcp`;
  context.output.report(listeningText(url, plan));
  const background = startBackgroundTasks({ gateway, reload, options, context, startedAt, redactor, url });
  restarts.serve(served.front);
  const { isUrgent } = await Promise.race([stop.promise, restarts.retired]);
  background.stopAccepting();
  let hasEndedCalls = false;
  const endCalls = () => {
    hasEndedCalls = true;
    return gateway.close();
  };
  await served.close(isUrgent ? { drainMs: 0 } : { endCalls });
  if (!hasEndedCalls && !isUrgent) await gateway.finishCaching?.(FINISH_CACHING_MS);
  await gateway.close();
  await background.close();
  await trace?.close();
  await restarts.finish();
}

const NO_FIXED_PORT = 'The system has chosen its port, so its sessions end with the process. Name a port: --http 4747';

const FINISH_CACHING_MS = 1_000;

interface ListenOptions {
  readonly plan: HttpPlan;
  readonly context: CommandContext;
  readonly trace: Trace | undefined;
  readonly restarts: PlannedRestarts;
}

interface Served {
  readonly front: HttpFront;
  close(options: Parameters<HttpFront['close']>[0]): Promise<void>;
}

async function listen(gateway: AggregateGateway, { plan, context, trace, restarts }: ListenOptions): Promise<Served> {
  const environment = environmentOf(context);
  const access = await openHttpAccess(plan, { environment, onProblem: context.output.report });
  const tls = plan.tls && (await import('../../../serve/access/address/load-tls.ts')).loadTls(plan.tls, environment);
  const sessionIds = createHttpSessionIds({ ...plan.address, environment, onProblem: context.output.report });
  let isStopping = false;
  const front = await openHttpFront({
    listen: plan.address,
    isSuccessor: restarts.isSuccessor,
    access,
    ...(tls === undefined ? {} : { tls }),
    ...(sessionIds === undefined ? {} : { sessionIds }),
    allowedHosts: plan.publicUrl === undefined ? [] : [plan.publicUrl.hostname],
    pages: new Map([['/health', createHealthPage(gateway, () => isStopping)]]),
    ...createGatewayEndpoints(gateway, trace),
  });
  return {
    front,
    async close(options) {
      isStopping = true;
      await front.close(options);
      access.close();
    },
  };
}

function listeningText(url: string, { auth }: HttpPlan): string {
  const how = auth === 'none' ? 'No token is needed.' : 'Clients need a token: switchboard token create <name>';
  return `Listening on ${url}. ${how} (Ctrl-C to stop)`;
}
