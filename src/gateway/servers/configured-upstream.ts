import type { Redactor } from '../../base/redaction/redact.ts';
import { VERSION } from '../../base/version.ts';
import { loginCommand } from '../../config/next-command.ts';
import { DEPTH_VARIABLE } from '../../config/resolve/launch-depth.ts';
import { resolveHttp } from '../../config/resolve/resolve-http.ts';
import { resolveStdio } from '../../config/resolve/resolve-stdio.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { NEWEST_LEGACY_VERSION } from '../../upstream/connection/handshake.ts';
import { noStartLimit, type StartLimiter } from '../../upstream/lifecycle/start-limiter.ts';
import type { OpenTransport } from '../../upstream/transports/transport.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import { Upstream } from '../../upstream/upstream.ts';
import type { UpstreamListener } from '../../upstream/upstream-options.ts';
import { isObject } from '../../wire/messages.ts';
import type { Trace } from '../entry/trace.ts';

export interface ConfiguredUpstreamOptions {
  readonly listener: UpstreamListener;
  readonly transports: Transports;
  readonly launcher: StartLimiter;
  /** What the first client said of itself. */
  readonly clientInitializeParams: () => unknown;
  /** Our own environment, from which the server's is made at each start. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** How many switchboards stand above the server. */
  readonly depth: number;
  readonly onStderrLine: ((serverId: string, line: string) => void) | undefined;
  /** Knows what all servers are given in confidence. */
  readonly redactor: Redactor;
  /** Writes down what passes. */
  readonly trace: Trace | undefined;
  /** It is not launched before this. */
  readonly startAfter?: Promise<void> | undefined;
}

/** A server as its entry in a config describes it. */
export function createConfiguredUpstream(entry: ServerEntry, options: ConfiguredUpstreamOptions): Upstream {
  const { listener, transports, launcher, clientInitializeParams, trace } = options;
  const open = entry.transport.kind === 'stdio' ? openStdioEntry(entry, options) : openHttpEntry(entry, options);
  return new Upstream({
    id: entry.id,
    listener,
    startLimiter: entry.transport.kind === 'stdio' ? launcher : noStartLimit,
    limits: entry,
    startAfter: options.startAfter,
    credentialsChanged: () => transports.credentialsChanged(entry.id),
    initializeParams: () => initializeParamsFor(clientInitializeParams()),
    redactor: options.redactor,
    open: trace?.tapTransport(entry.id, open) ?? open,
  });
}

function openStdioEntry(entry: ServerEntry, options: ConfiguredUpstreamOptions): OpenTransport {
  const { transports, env, depth, onStderrLine } = options;
  return transports.stdio(() => {
    const server = resolveStdio(entry, env, options);
    return {
      ...server,
      env: { ...server.env, [DEPTH_VARIABLE]: String(depth) },
      onStderrLine: onStderrLine && ((line) => onStderrLine(entry.id, line)),
    };
  });
}

function openHttpEntry(entry: ServerEntry, options: ConfiguredUpstreamOptions): OpenTransport {
  const { transports, env } = options;
  return transports.http(() => ({
    serverId: entry.id,
    loginCommand: loginCommand(entry),
    ...resolveHttp(entry, env, options),
  }));
}

/** To a server we are the client; what the real client can do, we pass on. */
function initializeParamsFor(clientInitializeParams: unknown): unknown {
  return {
    protocolVersion: NEWEST_LEGACY_VERSION,
    capabilities: relayedCapabilities(clientInitializeParams),
    clientInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
  };
}

/** What a server is told that we can: what the client can. */
export function relayedCapabilities(clientInitializeParams: unknown): unknown {
  return isObject(clientInitializeParams) && isObject(clientInitializeParams['capabilities'])
    ? clientInitializeParams['capabilities']
    : {};
}
