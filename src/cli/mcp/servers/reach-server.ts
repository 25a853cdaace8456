import { codeOfAnswer } from '../../../base/error-translation.ts';
import { AppError, isAppError, toAppError } from '../../../base/errors.ts';
import { entryMark } from '../../../config/entry/entry-identity.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { prove } from '../../../control/socket/proof.ts';
import { findRunning, type Running } from '../../../control/socket/running-instances.ts';
import { type ConnectedServer, type ConnectOptions, connectServer } from '../../../upstream/entry/connect-server.ts';
import { openSocket } from '../../../upstream/transports/socket.ts';
import type { OpenTransport } from '../../../upstream/transports/transport.ts';
import { isObject, requestText } from '../../../wire/messages.ts';
import type { CommandContext } from '../../main.ts';
import { surroundingsOf } from '../config/definitions.ts';
import { findHeldBack, type HeldBack } from './held-back.ts';

export interface ReachOptions
  extends Pick<
    ConnectOptions,
    'capabilities' | 'onRequest' | 'onNotification' | 'onStep' | 'startupTimeoutMs' | 'signal'
  > {
  /** By a connection of our own, whatever is running. */
  readonly isDirect: boolean;
  /** Only through a gateway that has told the server that a person can be asked. */
  readonly needsPerson?: boolean | undefined;
}

export interface ReachedServer extends ConnectedServer {
  /** The process of the gateway that it was reached through; undefined: by a connection of our own. */
  readonly gatewayPid: number | undefined;
  readonly heldBack: HeldBack;
}

/** Connects to a server: through a gateway that runs it already, or by a connection of our own. */
export async function reachServer(
  entry: ServerEntry,
  context: CommandContext,
  { isDirect, needsPerson = false, ...options }: ReachOptions,
): Promise<ReachedServer> {
  const surroundings = surroundingsOf(context);
  const connect = (open?: OpenTransport) =>
    connectServer({ entry, surroundings, ...options, ...(open === undefined ? {} : { open, capabilities: ASKABLE }) });
  const heldBack = await findHeldBack(entry, surroundings);
  for (const running of isDirect ? [] : findRunning(surroundings).running) {
    const attachment = toAttachment(running, {
      server: entry.id,
      identity: entryMark(entry, context.cwd),
      needsPerson,
    });
    try {
      return { ...throughGateway(await connect(attachment.open), running.pid), heldBack };
    } catch (error) {
      // One that does not have this very server, or is going: there may be another.
      const isGone = isAppError(error) && error.code === 'CONNECTION_CLOSED';
      if (options.signal?.aborted === true || (attachment.isAdmitted() && !isGone)) throw inOurWords(error);
    }
  }
  return { ...(await connect()), gatewayPid: undefined, heldBack };
}

/** The server hears nothing of it; the gateway passes its questions on, and whoever cannot answer one says so here. */
const ASKABLE = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

function toAttachment({ pid, address }: Running, wanted: Readonly<Record<string, unknown>>) {
  let isAdmitted = false;
  const preface = requestText(0, 'mcp.attach', wanted);
  const persist = (refusal: AppError) => {
    const proof = prove(address, refusal);
    return proof === undefined ? undefined : requestText(1, 'mcp.attach', { ...wanted, proof });
  };
  const open = openSocket({ address, where: `the gateway with pid ${pid}`, preface, persist });
  return {
    open: async (receiver: Parameters<OpenTransport>[0]) => {
      const transport = await open(receiver);
      isAdmitted = true;
      return transport;
    },
    isAdmitted: () => isAdmitted,
  };
}

function throughGateway(server: ConnectedServer, gatewayPid: number): Omit<ReachedServer, 'heldBack'> {
  const translate = (error: unknown) => {
    throw inOurWords(error);
  };
  return {
    ...server,
    gatewayPid,
    request: (...request) => server.request(...request).catch(translate),
    list: (...list) => server.list(...list).catch(translate),
  };
}

/** What the gateway says of a server on its own account has a code of ours; what the server said stays as it is. */
function inOurWords(thrown: unknown): AppError {
  const error = toAppError(thrown);
  const code = codeOfAnswer(error.data?.['rpcCode']);
  // Behind it stands what the gateway said, before we made a failed start of it.
  const said = isAppError(error.cause) ? error.cause : error;
  const { rpcData } = said.data ?? {};
  const data = isObject(rpcData) ? { data: rpcData } : {};
  return code === undefined ? error : new AppError(code, said.message, { cause: error, ...data });
}
