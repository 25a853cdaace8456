import { AppError } from '../../../base/errors.ts';
import type { Frame } from '../../../wire/frame.ts';
import { rawMember } from '../../../wire/json/scan.ts';
import { isObject, type JsonRpcMessage, notificationText, RawJson, requestText } from '../../../wire/messages.ts';
import { toInputId } from './input-id.ts';

/** Input that a server requires before it can answer a call. */
export interface InputRequired {
  /** Requests by the server's own keys, each as JSON text. */
  readonly requests: ReadonlyMap<string, string>;
  /** JSON text exactly as received; undefined if there is none. */
  readonly stateText: string | undefined;
}

interface PendingInput {
  readonly callId: number;
  /** Responses by the server's own keys, each as JSON text. */
  readonly answers: Map<string, string>;
  readonly open: Map<string, string>;
  resolve(answers: ReadonlyMap<string, string>): void;
  reject(error: AppError): void;
}

/** Sends the input requests of a modern server to the client as legacy requests. */
export interface InputRequests {
  /** Resolves with the responses by the server's own keys, each as JSON text. */
  request(callId: number, required: InputRequired): Promise<ReadonlyMap<string, string>>;
  /** Returns true if this is the response to an input request. `text` is the whole message as received. */
  receiveResponse(message: JsonRpcMessage, text: string): boolean;
  /** Cancels the input requests of a call that is no longer pending. */
  cancel(callId: number): void;
}

const SUPPORTED_METHODS: ReadonlySet<unknown> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);
const MAX_INPUT_REQUESTS = 32;
const CANCEL_REASON = 'the call was cancelled';

/** Creates the input requests. `sendToClient` sends the client a frame on behalf of a call. */
export function createInputRequests(sendToClient: (frame: Frame, callId: number) => void): InputRequests {
  const pendingById = new Map<string, PendingInput>();
  let count = 0;

  const close = ({ open }: PendingInput) => {
    for (const id of open.keys()) pendingById.delete(id);
  };

  return {
    request(callId, { requests }) {
      if (requests.size > MAX_INPUT_REQUESTS)
        return Promise.reject(new AppError('BAD_ANSWER', `The server sent ${requests.size} input requests at once.`));
      return new Promise((resolve, reject) => {
        const pending: PendingInput = { callId, answers: new Map(), open: new Map(), resolve, reject };
        const texts = [...requests].map(([key, json]) => {
          const request: unknown = JSON.parse(json);
          const method = isObject(request) ? request['method'] : undefined;
          if (!SUPPORTED_METHODS.has(method)) return undefined;
          const id = toInputId(callId, ++count, key);
          pending.open.set(id, key);
          pendingById.set(id, pending);
          // Pass the params on as written, so that no number changes.
          const params = rawMember(Buffer.from(json), 'params');
          return requestText(id, String(method), params === undefined ? undefined : new RawJson(params));
        });
        if (texts.includes(undefined)) {
          close(pending);
          return reject(new AppError('BAD_ANSWER', 'The server sent an input request that no client supports.'));
        }
        if (texts.length === 0) return resolve(pending.answers);
        for (const text of texts) sendToClient([Buffer.from(text ?? '')], callId);
      });
    },
    receiveResponse({ id, error }, text) {
      const pending = typeof id === 'string' ? pendingById.get(id) : undefined;
      if (pending === undefined || typeof id !== 'string') return false;
      const key = pending.open.get(id) ?? '';
      pendingById.delete(id);
      pending.open.delete(id);
      if (error !== undefined) {
        close(pending);
        const reason = isObject(error) ? String(error['message']) : 'no answer';
        pending.reject(
          new AppError('CAPABILITY_MISSING', `The client did not answer the question from the server: ${reason}`),
        );
        return true;
      }
      pending.answers.set(key, rawMember(Buffer.from(text), 'result') ?? 'null');
      if (pending.open.size === 0) pending.resolve(pending.answers);
      return true;
    },
    cancel(callId) {
      for (const pending of new Set(pendingById.values())) {
        if (pending.callId !== callId) continue;
        for (const requestId of pending.open.keys())
          sendToClient(
            [Buffer.from(notificationText('notifications/cancelled', { requestId, reason: CANCEL_REASON }))],
            callId,
          );
        close(pending);
        pending.reject(new AppError('CANCELLED', 'The call was cancelled.'));
      }
    },
  };
}
