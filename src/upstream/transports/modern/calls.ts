import { toJsonRpcError } from '../../../base/error-translation.ts';
import { AppError, toAppError } from '../../../base/errors.ts';
import { type Frame, frameBytes } from '../../../wire/frame.ts';
import { rawMember } from '../../../wire/json/scan.ts';
import { type OutgoingMessage, spliceMembers } from '../../../wire/json/splice.ts';
import { errorText, type JsonObject } from '../../../wire/messages.ts';
import type { SentRequest, TransportReceiver } from '../transport.ts';
import type { ModernCarrier } from './carrier.ts';
import { addMembers, parseRequest } from './envelope.ts';
import type { InputRequests, InputRequired } from './input-requests.ts';
import { readInputRequired } from './input-required.ts';
import { readStartedTask } from './started-task.ts';

export interface CallsOptions {
  readonly where: string;
  readonly carrier: Pick<ModernCarrier, 'send'>;
  readonly receiver: TransportReceiver;
  readonly inputRequests: InputRequests;
  /** Returns the `_meta` members of every request. */
  readonly meta: () => JsonObject;
  /** Called when a response announces a task. */
  readonly taskStarted: (taskId: string) => void;
}

/** Limit of input rounds per request, for servers that never stop asking for input. */
const MAX_ROUNDS = 20;

/** Methods whose response may require input. */
const MAY_REQUIRE_INPUT: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Creates a function that sends requests to a modern server, each with as many input rounds as it needs. */
export function createCalls(options: CallsOptions): (message: OutgoingMessage, request: SentRequest) => void {
  const { where, carrier, receiver, inputRequests } = options;

  return (message, request) => {
    const parsed = parseRequest(message);
    let rounds = 0;
    let isAwaitingInput = false;

    const send = (inputParams?: string) => {
      const number = rounds;
      const idText = number === 0 ? String(request.id) : JSON.stringify(`${request.id}-${number}`);
      const ownId = number === 0 ? undefined : idText;
      let sent: OutgoingMessage;
      try {
        sent = addMembers(parsed, { idText: ownId, params: inputParams, meta: membersText(options.meta()) });
      } catch (error) {
        return receiver.requestFailed(request.id, toAppError(error));
      }
      carrier.send({
        number,
        request,
        parsed,
        message: sent,
        idText,
        frame(frame) {
          const required = MAY_REQUIRE_INPUT.has(request.method) ? readInputRequired(frame) : undefined;
          if (required !== undefined) return requestInput(required);
          const taskId = request.method === 'tools/call' ? readStartedTask(frame) : undefined;
          if (taskId !== undefined) options.taskStarted(taskId);
          receiver.frame(ownId === undefined ? frame : withOwnId(frame, ownId, request.id), request.id);
        },
        isAwaitingInput: () => isAwaitingInput,
      });
    };

    const requestInput = (required: InputRequired) => {
      if (++rounds > MAX_ROUNDS) return receiver.requestFailed(request.id, tooManyRounds(where, request));
      isAwaitingInput = true;
      inputRequests.request(request.id, required).then(
        (responses) => {
          isAwaitingInput = false;
          const state = required.stateText === undefined ? '' : `,"requestState":${required.stateText}`;
          // Not if the caller has gone meanwhile: then the server must not run the request.
          if (receiver.isPending(request.id)) send(`"inputResponses":${toObjectText(responses)}${state}`);
        },
        (error: unknown) =>
          receiver.frame([Buffer.from(errorText(String(request.id), toJsonRpcError(toAppError(error))))]),
      );
    };

    send();
  };
}

function tooManyRounds(where: string, { method }: SentRequest): AppError {
  return new AppError('BAD_ANSWER', `${where} requests input for ${method} again and again.`);
}

function membersText(meta: JsonObject): string {
  return JSON.stringify(meta).slice(1, -1);
}

/** Restores the original id in the response to a later round. Other messages on the stream stay unchanged. */
function withOwnId(frame: Frame, idText: string, id: number): Frame {
  const spliced =
    rawMember(frameBytes(frame), 'id') === idText
      ? spliceMembers(frame, [{ path: ['id'], text: String(id) }])
      : undefined;
  return spliced?.pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)) ?? frame;
}

function toObjectText(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}
