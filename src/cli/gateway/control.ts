import { AppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { visibleWord } from '../../base/text/visible-text.ts';
import { entryMark } from '../../config/entry/entry-identity.ts';
import type { WantedServer } from '../../control/socket/control-connection.ts';
import { type Control, openControl } from '../../control/socket/control-socket.ts';
import type { AggregateGateway } from '../../gateway/entry/open-aggregate.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import type { CommandContext } from '../main.ts';
import type { GatewayAnswers } from './control-requests.ts';
import type { GatewayOptions } from './options.ts';

export interface Controlled {
  readonly gateway: Gateway;
  /** The same, when it stands in front of the servers of a config. */
  readonly aggregate: AggregateGateway | undefined;
  readonly options: GatewayOptions;
  readonly context: CommandContext;
  readonly startedAt: number;
  /** Takes secrets out of what servers said. */
  readonly redactor: Redactor;
}

/** Answers whoever asks how this gateway is, and lets them call its servers. Undefined when there is no place for it. */
export function openGatewayControl(controlled: Controlled): Promise<Control | undefined> {
  const { gateway, context } = controlled;
  const { cwd, home, env, output } = context;
  let loading: Promise<GatewayAnswers> | undefined;
  // Loaded for the first who asks: most gateways are never asked.
  const load = async () => (await import('./control-requests.ts')).createGatewayAnswers(controlled);
  const answers = () => {
    loading ??= load();
    return loading;
  };
  return openControl({
    surroundings: { cwd, home, env, platform: process.platform },
    onProblem: output.complain,
    answer: async (method, params) => (await answers()).answer(method, params),
    attach(wanted, send) {
      const client = gateway.attach(findUpstream(controlled, wanted), send);
      return {
        receive: (frame) => client.receive(frame),
        end: () => gateway.disconnect(client, new AppError('CONNECTION_CLOSED', 'The client has left.')),
      };
    },
  });
}

/** A server of the command line has no entry that anybody else could have. */
function findUpstream(
  { gateway, aggregate, context }: Controlled,
  { id, identity, needsPerson }: WantedServer,
): Upstream {
  const member = aggregate?.sources().members.find(({ upstream }) => upstream.id === id);
  const upstream = aggregate === undefined ? gateway.upstreams().find((one) => one.id === id) : member?.upstream;
  if (upstream === undefined) throw new AppError('USAGE', `This gateway does not use a server ${visibleWord(id)}.`);
  if (identity !== undefined && (member === undefined || entryMark(member.entry, context.cwd) !== identity))
    throw new AppError('USAGE', `${visibleWord(id)} of this gateway is another server.`);
  if (
    needsPerson &&
    !gateway.clients().some(({ isAttached, capabilities }) => !isAttached && isObject(capabilities?.['elicitation']))
  )
    throw new AppError('CAPABILITY_MISSING', `${visibleWord(id)} was told that nobody can be asked.`);
  return upstream;
}
