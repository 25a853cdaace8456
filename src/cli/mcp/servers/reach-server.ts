import { fromRpcCode } from '../../../base/error-translation.ts';
import { AppError, type ErrorCode, isAppError, toAppError } from '../../../base/errors.ts';
import { entryChecksum } from '../../../config/entry/entry-identity.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { writeProof } from '../../../control/socket/proof.ts';
import { findRunningInstances, type RunningInstance } from '../../../control/socket/running-instances.ts';
import { type ConnectedServer, type ConnectOptions, connectServer } from '../../../upstream/entry/connect-server.ts';
import { openSocket } from '../../../upstream/transports/socket.ts';
import type { OpenTransport } from '../../../upstream/transports/transport.ts';
import { isObject, requestText } from '../../../wire/messages.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { type HeldBack, loadHeldBack } from './held-back.ts';
import { toServerError, toServerFailure } from './server-failure.ts';

export interface ConnectToServerOptions
  extends Pick<
    ConnectOptions,
    'capabilities' | 'onRequest' | 'onNotification' | 'onStep' | 'onOutput' | 'startupTimeoutMs' | 'signal'
  > {
  /** Opens a direct connection, even if a gateway is running. */
  readonly isDirect: boolean;
  /** Uses only a gateway that has announced elicitation to the server. */
  readonly needsPerson?: boolean | undefined;
}

export interface ReachedServer extends ConnectedServer {
  /** Process id of the gateway in between; undefined for a direct connection. */
  readonly gatewayPid: number | undefined;
  readonly heldBack: HeldBack;
}

/** Connects to a server: through a gateway that already runs it, or directly. */
export async function connectToServer(
  entry: ServerEntry,
  context: CommandContext,
  { isDirect, needsPerson = false, ...options }: ConnectToServerOptions,
): Promise<ReachedServer> {
  const environment = environmentOf(context);
  const connect = (open?: OpenTransport) =>
    connectServer({
      entry,
      environment,
      ...options,
      ...(open === undefined ? {} : { open, capabilities: CLIENT_CAPABILITIES }),
    });
  const heldBack = await loadHeldBack(entry, environment);
  for (const running of isDirect ? [] : findRunningInstances(environment).running) {
    const attachment = createAttachment(running, {
      server: entry.id,
      identity: entryChecksum(entry, context.cwd),
      needsPerson,
    });
    try {
      return { ...viaGateway(await connect(attachment.open), running.pid), heldBack };
    } catch (error) {
      // This gateway does not run exactly this server, or is exiting: another one may match.
      const isGone = isAppError(error) && error.code === 'CONNECTION_CLOSED';
      if (options.signal?.aborted === true || (attachment.isAdmitted() && !isGone)) throw toOwnError(error);
    }
  }
  return { ...(await connect()), gatewayPid: undefined, heldBack };
}

/**
 * The server never sees these. The gateway forwards the server's requests, and `onRequest` rejects those that it cannot
 * answer.
 */
const CLIENT_CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

function createAttachment({ pid, address }: RunningInstance, wanted: Readonly<Record<string, unknown>>) {
  let isAttached = false;
  const preface = requestText(0, 'mcp.attach', wanted);
  const persist = (refusal: AppError) => {
    const proof = writeProof(address, refusal);
    return proof === undefined ? undefined : requestText(1, 'mcp.attach', { ...wanted, proof });
  };
  const open = openSocket({ address, where: `the gateway with pid ${pid}`, preface, onRefused: persist });
  return {
    open: async (receiver: Parameters<OpenTransport>[0]) => {
      const transport = await open(receiver);
      isAttached = true;
      return transport;
    },
    isAdmitted: () => isAttached,
  };
}

function viaGateway(server: ConnectedServer, gatewayPid: number): Omit<ReachedServer, 'heldBack'> {
  const translate = (error: unknown) => {
    throw toOwnError(error);
  };
  return {
    ...server,
    gatewayPid,
    request: (...request) => server.request(...request).catch(translate),
    list: (...list) => server.list(...list).catch(translate),
  };
}

/** Restores the code of the gateway's own errors; keeps errors of the server unchanged. */
function toOwnError(thrown: unknown): AppError {
  const error = toAppError(thrown);
  const code = fromRpcCode(error.data?.['rpcCode']);
  // The cause is the gateway's original error, before it was wrapped as a failed start.
  const original = isAppError(error.cause) ? error.cause : error;
  const { rpcData } = original.data ?? {};
  const data = isObject(rpcData) ? { data: rpcData } : {};
  return code === undefined ? error : new AppError(code, original.message, { cause: error, ...data });
}

/** Runs a task for one server and adds the server and the next command to its error. */
export async function withFailureContext<Result>(entry: ServerEntry, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (thrown) {
    const error = toAppError(thrown);
    throw SELF_EXPLANATORY.includes(error.code) ? error : toServerError(toServerFailure(entry, error));
  }
}

/** Errors that already name what was searched and where. */
const SELF_EXPLANATORY: readonly ErrorCode[] = [
  'USAGE',
  'TOOL_NOT_FOUND',
  'TOOL_INVALID',
  'RESOURCE_NOT_FOUND',
  'CANCELLED',
];
