import { AppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { entryChecksum } from '../../config/entry/entry-identity.ts';
import type { AttachTarget } from '../../control/socket/control-connection.ts';
import { type ControlSocket, openControlSocket } from '../../control/socket/control-socket.ts';
import type { HttpStatus } from '../../control/status/running-status.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { AggregateGateway } from '../../gateway/open/open-aggregate.ts';
import type { GatewayView } from '../../gateway/views/gateway-view.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import type { ControlRequestHandler } from './control-requests.ts';
import type { GatewayOptions } from './options.ts';

export interface ControlledGateway {
  readonly gateway: Gateway;
  /** The same gateway, when it serves the servers of a config. */
  readonly aggregate: AggregateGateway | undefined;
  readonly options: GatewayOptions;
  readonly context: CommandContext;
  readonly startedAt: number;
  /** The URL for clients, if they connect over HTTP. */
  readonly url?: string | undefined;
  /** The state of the HTTP front, if there is one. */
  readonly http?: (() => HttpStatus) | undefined;
  /** Masks secrets in server output. */
  readonly redactor: Redactor;
  /** What the clients of this gateway see. Undefined if they see everything, or differ. */
  readonly view?: GatewayView | undefined;
}

/**
 * Answers status requests about this gateway and lets clients call its servers. Undefined when no socket can be opened.
 */
export function openGatewayControl(controlled: ControlledGateway): Promise<ControlSocket | undefined> {
  const { gateway, context } = controlled;
  let loading: Promise<ControlRequestHandler> | undefined;
  // Loaded for the first request, because most gateways never get one.
  const load = async () => (await import('./control-requests.ts')).createControlRequestHandler(controlled);
  const loadHandler = () => {
    loading ??= load();
    return loading;
  };
  return openControlSocket({
    environment: environmentOf(context),
    onProblem: context.output.report,
    answer: async (method, params) => (await loadHandler()).handle(method, params),
    attach(wanted, connection) {
      const client = gateway.attach(findUpstream(controlled, wanted), connection);
      return {
        receive: (frame) => client.receive(frame),
        end: () => gateway.disconnect(client, new AppError('CONNECTION_CLOSED', 'The client disconnected.')),
      };
    },
  });
}

/** A server from the command line has no config entry, so no identity can match it. */
function findUpstream(
  { gateway, aggregate, context, view }: ControlledGateway,
  { id, identity, needsPerson }: AttachTarget,
): Upstream {
  const server = aggregate?.statusSources(view).servers.find(({ upstream }) => upstream.id === id);
  const upstream = aggregate === undefined ? gateway.upstreams().find((one) => one.id === id) : server?.upstream;
  if (upstream === undefined) throw new AppError('USAGE', `This gateway has no server ${quoteIfNeeded(id)}.`);
  if (identity !== undefined && (server === undefined || entryChecksum(server.entry, context.cwd) !== identity))
    throw new AppError('USAGE', `${quoteIfNeeded(id)} has a different entry in this gateway.`);
  if (server?.isPerClient === true)
    throw new AppError('USAGE', `${quoteIfNeeded(id)} has a process for each client of this gateway.`);
  if (
    needsPerson &&
    !gateway.clients().some(({ isAttached, capabilities }) => !isAttached && isObject(capabilities?.['elicitation']))
  )
    throw new AppError(
      'CAPABILITY_MISSING',
      `No client of this gateway supports elicitation, which ${quoteIfNeeded(id)} may need.`,
    );
  return upstream;
}
