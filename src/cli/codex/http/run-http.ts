import { createDeferred } from '../../../base/deferred.ts';
import { AppError } from '../../../base/errors.ts';
import { ownershipOfToken, ownershipOfUser } from '../../../codex/ownership/ownership.ts';
import { openSessionOwners } from '../../../codex/ownership/session-owners.ts';
import { dataFolder } from '../../../config/files/folders.ts';
import type { HttpOptions, HttpPlan } from '../../../serve/access/address/plan-http.ts';
import type { Routes } from '../../../serve/fronts/http/route-request.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { openControlSocketLater } from '../../delayed-control-socket.ts';
import { endpointUrl, listeningText } from '../../http/listening-text.ts';
import { RESTART_SIGNAL } from '../../http/restart/planned-restarts.ts';
import { runHttpServer } from '../../http/run-http-server.ts';
import { stopOnSignal } from '../../stop-on-signal.ts';
import { openCodex } from '../open.ts';
import type { CodexOptions } from '../options.ts';
import { openCodexRuntime } from '../runtime.ts';
import { type CodexServers, createCodexServers } from './codex-servers.ts';

/** Runs `switchboard codex --http`: Codex as MCP tools for any number of clients, until a signal arrives. */
export async function runHttpCodex(
  options: CodexOptions,
  httpOptions: HttpOptions,
  context: CommandContext,
): Promise<void> {
  await runHttpServer(httpOptions, (plan) => serveUntilSignal(options, plan, context));
}

async function serveUntilSignal(options: CodexOptions, plan: HttpPlan, context: CommandContext): Promise<void> {
  const startedAt = Date.now();
  const owners = openSessionOwners(dataFolder(environmentOf(context)));
  const runtime = openCodexRuntime(context);
  const { log, processes } = runtime;
  const machine = `${process.platform}; ${process.arch}`;
  const stop = createDeferred();
  stopOnSignal(() => stop.resolve());
  process.on(RESTART_SIGNAL, () => context.output.report(NO_RESTART));
  const servers = createCodexServers({
    open(tokenId, owner) {
      const ownership = tokenId === undefined ? ownershipOfUser(owners) : ownershipOfToken(owners, tokenId);
      return openCodex(options, { ...runtime, context, machine, owner: { ...owner, ownership } });
    },
  });
  try {
    const { listenForClients } = await import('../../http/listen-for-clients.ts');
    const served = await listenForClients({
      ...{ plan, context, sessionFiles: 'codex-http' },
      createRoutes: (isStopping) => createRoutes(servers, isStopping),
      onRevoked: servers.revoke,
    });
    const url = endpointUrl(plan, served.front.address);
    if (plan.isExposed) context.output.report(isLimited(options) ? EXPOSED : `${EXPOSED} ${HOW_TO_LIMIT}`);
    context.output.report(listeningText(url, plan));
    const control = openControlSocketLater({
      subject: 'codex server',
      open: async () =>
        (await import('../control.ts')).openCodexControl({
          ...{ context, startedAt, url, warn: log.warn, sessions: servers.sessions },
          clientInfos: () => servers.clients().map(({ info }) => info),
        }),
      warn: log.warn,
    });
    await stop.promise;
    control.stopAccepting();
    const interrupting = setTimeout(servers.interruptAll, INTERRUPT_AFTER_MS);
    await served.close();
    clearTimeout(interrupting);
    await control.close();
  } finally {
    await servers.close();
    await processes.close();
  }
}

/** Short turns can finish in this time. Others may take minutes, longer than the calls that wait for them may. */
const INTERRUPT_AFTER_MS = 2_000;

const EXPOSED = 'Everyone with a token can run Codex as you on this machine.';
const HOW_TO_LIMIT = 'To limit this, use --allow-root and --max-sandbox.';

function isLimited({ maxSandbox, roots }: CodexOptions): boolean {
  return maxSandbox !== undefined || roots.length > 0;
}

/** By default, the signal would end the process. */
const NO_RESTART =
  'SIGUSR2 does not restart the codex server, because its turns run in this process. Stop it and start it again: sessions of clients continue.';

const PATH = '/mcp';

function createRoutes({ endpoint }: CodexServers, isStopping: () => boolean): Routes {
  return {
    endpoints: new Map([[PATH, endpoint]]),
    refuse: ({ name, view }) => (view === undefined ? undefined : limitedToView(name, view)),
    pages: new Map([
      [
        '/health',
        () => (isStopping() ? { status: 503, body: { status: 'stopping' } } : { status: 200, body: { status: 'ok' } }),
      ],
    ]),
  };
}

/** A view limits which servers of the gateway a token may use. Codex is outside of every view. */
function limitedToView(name: string, view: string): AppError {
  const text = `The token ${JSON.stringify(name)} may use only the view ${JSON.stringify(view)} of the gateway, not Codex.`;
  return new AppError('NOT_IN_VIEW', text);
}
