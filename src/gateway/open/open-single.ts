import { AppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { DEPTH_VARIABLE, nextLaunchDepth } from '../../config/resolve/launch-depth.ts';
import { reasonOf } from '../../control/status/diagnosis.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { createStartLimiter } from '../../upstream/lifecycle/start-limiter.ts';
import { createTransports } from '../../upstream/transports/transports.ts';
import { Upstream } from '../../upstream/upstream.ts';
import { sharedRoots } from '../bridge/shared-roots.ts';
import { createUpstreamListener, type ServerAudience } from '../bridge/upstream-listener.ts';
import type { Client } from '../client/client.ts';
import { createGateway, type Gateway, type GatewayLog } from '../gateway.ts';
import { createSingleRouting } from '../routing/single-routing.ts';
import { FirstInitialize } from '../servers/first-initialize.ts';
import type { GatewaySettings } from '../settings.ts';
import { createConditionLog } from '../status/condition-log.ts';
import { conditionOfConnection } from '../status/server-condition.ts';
import type { SummarizedServer } from '../status/summary.ts';
import type { Trace } from '../trace/trace.ts';

export interface SingleGatewayOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** The folder that its clients share. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: GatewaySettings;
  readonly log: GatewayLog;
  /** The profile for all clients. Default: chosen for each client. */
  readonly profile?: ProfileName | undefined;
  /** Masks secrets in everything the server sends except results. */
  readonly redactor: Redactor;
  /** Records all messages. */
  readonly trace?: Trace | undefined;
  /** Called once, when the server is ready or has failed, or after `listTimeoutMs` at the latest. */
  readonly onSettled?: ((server: SummarizedServer) => void) | undefined;
}

/**
 * Opens a gateway for one server given on the command line. The server inherits our whole environment, and its tools
 * keep their names.
 */
export function openSingleGateway({
  command: [command, ...args],
  cwd,
  env,
  settings,
  log,
  profile,
  redactor,
  trace,
  onSettled,
}: SingleGatewayOptions): Gateway {
  if (command === undefined) {
    throw new AppError('USAGE', 'Give the command of the server: switchboard -- <command> [args].');
  }
  const id = command.split(/[\\/]/).at(-1) ?? command;
  const transports = createTransports(env);
  const depth = String(nextLaunchDepth(env));
  const clients = new Set<Client>();
  const firstInitialize = new FirstInitialize();
  const audience: ServerAudience = {
    all: clients,
    clientsOf: () => [...clients],
    sharedRoots: () => sharedRoots(cwd, [...clients][0]?.capabilities),
  };
  const open = transports.stdio(() => ({
    command,
    args,
    cwd: undefined,
    env: { ...env, [DEPTH_VARIABLE]: depth },
    framing: 'ndjson',
    onStderrLine: settings.isDebug ? (line) => log.debug(`${id} stderr: ${line}`) : undefined,
  }));
  const upstream: Upstream = new Upstream({
    id,
    redactor,
    listener: createUpstreamListener(audience, log, {
      connected: (changed) => events.connected(changed),
      notification: (received) => events.notification(received),
      stateChanged(changed) {
        events.stateChanged(changed);
        if (changed.state.kind !== 'connecting') settled.report();
        const condition = conditionOfConnection(changed);
        if (condition !== undefined) conditions.update(id, condition);
      },
    }),
    startLimiter: createStartLimiter(),
    initializeParams: firstInitialize.params,
    open: trace?.tapTransport(id, open) ?? open,
  });
  const conditions = createConditionLog(log.warn);
  const settled = reportOnce(upstream, settings.listTimeoutMs, (server) => {
    onSettled?.(server);
    if (settings.hasSummary) conditions.setBaseline(id, conditionOfConnection(upstream));
  });
  const { routing, events } = createSingleRouting({
    upstream,
    audience,
    initTimeoutMs: settings.initTimeoutMs,
    profile,
    onInitialize(params) {
      if (!firstInitialize.receive(params)) return;
      // The response to the client is sent first.
      setImmediate(() => upstream.start());
      settled.begin();
    },
  });
  const gateway = createGateway({
    clients,
    upstreams: () => [upstream],
    pause: () => upstream.pause(),
    resume: () => upstream.resume(),
    routing,
    errorStyle: {
      isPassthrough: settings.isErrorPassthrough,
      asToolResult: false,
      nextCommand: undefined,
      debug: settings.isDebug ? log.debug : undefined,
    },
  });
  return {
    ...gateway,
    async close() {
      conditions.stop();
      await gateway.close();
      await transports.close();
    },
  };
}

function reportOnce(upstream: Upstream, timeoutMs: number, onSettled: (server: SummarizedServer) => void) {
  let isReported = false;
  const report = () => {
    if (isReported) return;
    isReported = true;
    onSettled({ id: upstream.id, state: upstream.state.kind, reason: reasonOf(upstream.state) });
  };
  return { report, begin: () => void setTimeout(report, timeoutMs).unref() };
}
