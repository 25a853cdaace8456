import { toJsonRpcError } from '../../../../base/error-translation.ts';
import { AppError, toAppError } from '../../../../base/errors.ts';
import { headerText, paramHeaders } from '../../../../schema/param-headers.ts';
import { type Frame, frameBytes } from '../../../../wire/frame.ts';
import { rawMember } from '../../../../wire/json/scan.ts';
import { type OutgoingMessage, spliceMembers } from '../../../../wire/json/splice.ts';
import { errorText, isObject } from '../../../../wire/messages.ts';
import type { SentRequest, TransportReceiver } from '../../transport.ts';
import type { StartExchange } from '../exchange/exchange.ts';
import type { PostHandler } from '../post-request.ts';
import type { Posts } from '../posts.ts';
import { addMembers, type ParsedRequest, parseRequest } from './envelope.ts';
import type { InputRequests, InputRequired } from './input-requests.ts';
import { readInputRequired } from './input-required.ts';
import { createKnownTools } from './known-tools.ts';
import { listTools } from './list-tools.ts';
import { readStartedTask } from './started-task.ts';

export interface CallsOptions {
  readonly where: string;
  readonly posts: Posts;
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  readonly inputRequests: InputRequests;
  /** Returns the `_meta` members of every request. */
  readonly meta: () => Readonly<Record<string, unknown>>;
  readonly headers: (method: string) => Readonly<Record<string, string>>;
  readonly undelivered: PostHandler['undelivered'];
  /** Called when a response announces a task. */
  readonly taskStarted: (taskId: string) => void;
  /** Called when no exchange of this request is open any more. */
  readonly done: (id: number) => void;
}

/** Limit of input rounds per request, for servers that never stop asking for input. */
const MAX_ROUNDS = 20;

/** Methods whose response may require input. */
const MAY_REQUIRE_INPUT: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The member of the params that is repeated in the header `Mcp-Name`. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Creates a function that sends requests to a modern server, each with as many input rounds as it needs. */
export function createCalls(options: CallsOptions): (message: OutgoingMessage, request: SentRequest) => void {
  const { where, posts, receiver, inputRequests } = options;
  const tools = createKnownTools();

  const headersFor = (
    { method }: SentRequest,
    params: unknown,
    parsed: ParsedRequest,
  ): Readonly<Record<string, string>> => {
    const headers = options.headers(method);
    const member = NAMED_BY.get(method);
    const name = isObject(params) && member !== undefined ? params[member] : undefined;
    if (!isObject(params) || typeof name !== 'string') return headers;
    const wanted = method === 'tools/call' ? tools.headersOf(name) : [];
    return { ...headers, 'mcp-name': headerText(name), ...paramHeaders(wanted, () => argumentsText(parsed)) };
  };

  const deliverResponse = (frame: Frame, { id, method }: SentRequest, idText: string | undefined) => {
    const own = idText === undefined ? frame : withOwnId(frame, idText, id);
    if (method !== 'tools/list') return receiver.frame(own, id);
    const { frame: list, dropped } = tools.listed(own);
    for (const why of dropped) receiver.reportError(new AppError('TOOL_INVALID', why));
    receiver.frame(list);
  };

  return (message, request) => {
    let parsed: ParsedRequest;
    let params: unknown;
    try {
      parsed = parseRequest(message);
      params = paramsOf(parsed);
    } catch (error) {
      return receiver.requestFailed(request.id, toAppError(error));
    }
    let hasListed = false;
    let rounds = 0;
    let isAwaitingInput = false;

    const send = (idText?: string, inputParams?: string) => {
      const message = addMembers(parsed, { idText, params: inputParams, meta: membersText(options.meta()) });
      posts.send(
        { message, headers: headersFor(request, params, parsed), request },
        {
          frame(_, frame) {
            const required = MAY_REQUIRE_INPUT.has(request.method) ? readInputRequired(frame) : undefined;
            if (required !== undefined) return requestInput(required);
            const taskId = request.method === 'tools/call' ? readStartedTask(frame) : undefined;
            if (taskId !== undefined) options.taskStarted(taskId);
            deliverResponse(frame, request, idText);
          },
          // The request lacks a header that only the tool list declares: a call may arrive before we have read the list.
          rejected(_, { rpcError }) {
            if (rpcError?.code !== HEADER_MISMATCH || request.method !== 'tools/call' || hasListed) return false;
            hasListed = true;
            listTools({ ...options, tools }).then(
              () => sendIfPending(idText, inputParams),
              (error: unknown) => receiver.requestFailed(request.id, toAppError(error)),
            );
            return true;
          },
          undelivered: options.undelivered,
          interrupted: () => false,
          isAwaitingInput: () => isAwaitingInput,
          done: () => options.done(request.id),
        },
      );
    };

    /** Sends the request unless its caller has gone meanwhile: then the server must not run it. */
    const sendIfPending = (idText: string | undefined, inputParams: string | undefined) => {
      if (receiver.isPending(request.id)) send(idText, inputParams);
    };

    const requestInput = (required: InputRequired) => {
      if (++rounds > MAX_ROUNDS) return receiver.requestFailed(request.id, tooManyRounds(where, request));
      isAwaitingInput = true;
      inputRequests.request(request.id, required).then(
        (responses) => {
          isAwaitingInput = false;
          const state = required.stateText === undefined ? '' : `,"requestState":${required.stateText}`;
          // A repeated request counts as a new one and needs a new id.
          sendIfPending(
            JSON.stringify(`${request.id}-${rounds}`),
            `"inputResponses":${toObjectText(responses)}${state}`,
          );
        },
        (error: unknown) =>
          receiver.frame([Buffer.from(errorText(String(request.id), toJsonRpcError(toAppError(error))))]),
      );
    };

    send();
  };
}

const HEADER_MISMATCH = -32_020;

function tooManyRounds(where: string, { method }: SentRequest): AppError {
  return new AppError('BAD_ANSWER', `${where} requests input for ${method} again and again.`);
}

function paramsOf({ bytes, params }: ParsedRequest): unknown {
  return params === undefined ? undefined : JSON.parse(bytes.toString('utf8', params.start, params.end));
}

function argumentsText({ bytes, params }: ParsedRequest): string {
  return (params && rawMember(bytes.subarray(params.start, params.end), 'arguments')) ?? '{}';
}

function membersText(meta: Readonly<Record<string, unknown>>): string {
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
