import type { Redactor } from '../../base/redaction/redact.ts';
import type { Environment } from '../../config/files/folders.ts';
import { DEPTH_VARIABLE } from '../../config/resolve/launch-depth.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { toInitializeParams } from '../../upstream/connection/handshake.ts';
import { openEntry } from '../../upstream/entry/open-entry.ts';
import { noStartLimit, type StartLimiter } from '../../upstream/lifecycle/start-limiter.ts';
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
  readonly environment: Environment;
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
  const { listener, transports, environment, launcher, clientInitializeParams, depth, onStderrLine, trace } = options;
  const open = openEntry(entry, {
    transports,
    environment,
    addedEnv: { [DEPTH_VARIABLE]: String(depth) },
    onStderrLine,
  });
  return new Upstream({
    id: entry.id,
    listener,
    startLimiter: entry.transport.kind === 'stdio' ? launcher : noStartLimit,
    limits: entry,
    startAfter: options.startAfter,
    credentialsChanged: () => transports.credentialsChanged(entry.id),
    // The gateway is the client, with the capabilities of the real client.
    initializeParams: () => toInitializeParams(relayedCapabilities(clientInitializeParams())),
    redactor: options.redactor,
    open: trace?.tapTransport(entry.id, open) ?? open,
  });
}

/** Returns the capabilities to declare to a server, which are those of the client. */
export function relayedCapabilities(clientInitializeParams: unknown): unknown {
  return isObject(clientInitializeParams) && isObject(clientInitializeParams['capabilities'])
    ? clientInitializeParams['capabilities']
    : {};
}
