import { createDeferred } from '../../../base/deferred.ts';
import { AppError } from '../../../base/errors.ts';
import { formatProblem, toConfigError } from '../../../config/problem.ts';
import type { ConfigProblem, LoadedConfig } from '../../../config/server-entry.ts';
import { createGatewayEndpoints } from '../../../gateway/http/gateway-endpoints.ts';
import type { HttpOptions, HttpPlan } from '../../../serve/access/address/plan-http.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { endpointUrl, listeningText } from '../../http/listening-text.ts';
import { openPlannedRestarts } from '../../http/restart/open-planned-restarts.ts';
import type { Retirement } from '../../http/restart/planned-restarts.ts';
import { runHttpServer } from '../../http/run-http-server.ts';
import { stopOnSignal } from '../../stop-on-signal.ts';
import { startBackgroundTasks } from '../background-tasks.ts';
import { openGateway } from '../open.ts';
import type { GatewayOptions } from '../options.ts';
import type { Exposure } from './exposure.ts';
import { createHealthPage } from './health.ts';

/** Runs `switchboard gateway --http`: every server of the config for any number of clients, until a signal arrives. */
export async function runHttpGateway(
  options: GatewayOptions,
  httpOptions: HttpOptions,
  context: CommandContext,
): Promise<void> {
  await runHttpServer(httpOptions, (plan) => serveUntilSignal(options, plan, context));
}

async function serveUntilSignal(options: GatewayOptions, plan: HttpPlan, context: CommandContext): Promise<void> {
  const startedAt = Date.now();
  const restarts = openPlannedRestarts({
    env: context.env,
    refusal: plan.address.port === 0 ? NO_FIXED_PORT : undefined,
    report: context.output.report,
  });
  const exposure = plan.isExposed ? await openExposure(context) : undefined;
  // Otherwise, the handshakes of many sessions would leave a large heap behind, which speeds up nothing.
  const opened = await openGateway(options, context, { limitsHeapGrowth: true, sharing: exposure?.sharing });
  const { gateway, trace, reload, redactor } = opened;
  const aggregate = reload?.gateway;
  if (aggregate === undefined) throw new AppError('USAGE', '--http serves the servers of a config.');
  const problem = findBrokenFile(aggregate.config());
  // Until it is fixed, the process before this one serves with its last good config.
  if (problem !== undefined && restarts.isSuccessor) throw toConfigError(problem);
  if (problem !== undefined) context.output.report(formatProblem(problem));
  const stop = createDeferred<Retirement>();
  stopOnSignal((signal) => {
    restarts.stop(signal);
    stop.resolve({ isUrgent: false });
  });
  for (const upstream of gateway.upstreams()) upstream.stayIdle();
  const { listenForClients } = await import('../../http/listen-for-clients.ts');
  const served = await listenForClients({
    ...{ plan, context, sessionFiles: 'http', isSuccessor: restarts.isSuccessor },
    createRoutes: (isStopping) => ({
      pages: new Map([['/health', createHealthPage(aggregate, isStopping)]]),
      ...createGatewayEndpoints(aggregate, trace),
    }),
  }).catch(async (error: unknown) => {
    await gateway.close();
    throw error;
  });
  const signIns = exposure?.watchSignIns(aggregate);
  const url = endpointUrl(plan, served.front.address);
  context.output.report(listeningText(url, plan));
  const http = () => served.front.counts;
  aggregate.setHttpStatus(http);
  const background = startBackgroundTasks({ gateway, reload, options, context, startedAt, redactor, url, http });
  restarts.serve(served.front);
  const { isUrgent } = await Promise.race([stop.promise, restarts.retired]);
  background.stopAccepting();
  signIns?.close();
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

/** Returns the problem of a config file that cannot be read at all: its servers are missing. */
function findBrokenFile({ files, problems }: LoadedConfig): ConfigProblem | undefined {
  const broken = files.filter(({ state }) => state === 'broken').map(({ file }) => file);
  return problems.find(({ file }) => broken.includes(file));
}

const NO_FIXED_PORT =
  'The system chose its port, so its sessions cannot continue in another process. Use a fixed port: --http 4747';

const FINISH_CACHING_MS = 1_000;

/** Anyone who calls a server with a personal sign-in acts as this user. */
async function openExposure(context: CommandContext): Promise<Exposure> {
  const { createExposure } = await import('./exposure.ts');
  return createExposure({ environment: environmentOf(context), report: context.output.report });
}
