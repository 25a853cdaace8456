import type { ServerEntry } from '../config/server-entry.ts';
import { type ConnectedServer, type ConnectOptions, connectServer } from '../host/connect.ts';
import { surroundingsOf } from './commands/mcp-sources.ts';
import type { CommandContext } from './main.ts';

export interface ReachOptions
  extends Pick<
    ConnectOptions,
    'capabilities' | 'onRequest' | 'onNotification' | 'onStep' | 'startupTimeoutMs' | 'redact'
  > {
  /** By a connection of our own, whatever is running. */
  readonly isDirect: boolean;
}

export interface ReachedServer extends ConnectedServer {
  /** The process of the gateway that it was reached through; undefined: by a connection of our own. */
  readonly gatewayPid: number | undefined;
}

/** Connects to a server: through a gateway that runs it already, or by a connection of our own. */
export async function reachServer(
  entry: ServerEntry,
  context: CommandContext,
  { isDirect: _, ...options }: ReachOptions,
): Promise<ReachedServer> {
  const surroundings = surroundingsOf(context);
  return { ...(await connectServer({ entry, surroundings, ...options })), gatewayPid: undefined };
}
