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
  /** Returns the `initialize` params of the first client. */
  readonly clientInitializeParams: () => unknown;
  /** Our own environment, from which the server's environment is built at each start. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The number of nested switchboards above the server. */
  readonly depth: number;
  readonly onStderrLine: ((serverId: string, line: string) => void) | undefined;
  /** Masks the secrets of all servers. */
  readonly redactor: Redactor;
  /** Records all messages. */
  readonly trace: Trace | undefined;
  /** The launch waits for this promise. */
  readonly startAfter?: Promise<void> | undefined;
}

/** Creates the upstream for a config entry. */
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

/** Returns our `initialize` params: the gateway is the client, with the capabilities of the real client. */
function initializeParamsFor(clientInitializeParams: unknown): unknown {
  return {
    protocolVersion: NEWEST_LEGACY_VERSION,
    capabilities: relayedCapabilities(clientInitializeParams),
    clientInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
  };
}

/** Returns the capabilities to declare to a server, which are those of the client. */
export function relayedCapabilities(clientInitializeParams: unknown): unknown {
  return isObject(clientInitializeParams) && isObject(clientInitializeParams['capabilities'])
    ? clientInitializeParams['capabilities']
    : {};
}
