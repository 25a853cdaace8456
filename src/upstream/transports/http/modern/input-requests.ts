import { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import { rawMember } from '../../../../wire/json/scan.ts';
import { type Incoming, isObject, notificationText, RawJson, requestText } from '../../../../wire/messages.ts';

/** What a server wants to know before it can answer a call. */
export interface InputRequired {
  /** By the server's own keys; each is JSON text. */
  readonly requests: ReadonlyMap<string, string>;
  /** JSON text, exactly as it came; undefined when there is none. */
  readonly stateText: string | undefined;
}

interface Asking {
  readonly callId: number;
  /** By the server's own keys; each is JSON text. */
  readonly answers: Map<string, string>;
  readonly open: Map<string, string>;
  resolve(answers: ReadonlyMap<string, string>): void;
  reject(error: AppError): void;
}

/** Asks the client, in the legacy way, what a modern server asks in its answers. */
export interface Questions {
  /** Resolves with the answers, under the keys of the questions, each as JSON text. */
  ask(callId: number, required: InputRequired): Promise<ReadonlyMap<string, string>>;
  /** True when this is the answer to a question of ours. `text` is the whole message as it was written. */
  answered(message: Incoming, text: string): boolean;
  /** Nobody waits for this call any more: whoever is being asked need not answer. */
  withdraw(callId: number): void;
}

const ASKABLE: ReadonlySet<unknown> = new Set(['elicitation/create', 'sampling/createMessage', 'roots/list']);
const MAX_QUESTIONS = 32;
const GIVEN_UP = 'the call was given up';

/** `say` tells the client something because of a call. */
export function createQuestions(say: (frame: Frame, callId: number) => void): Questions {
  const asking = new Map<string, Asking>();
  let count = 0;

  const close = ({ open }: Asking) => {
    for (const id of open.keys()) asking.delete(id);
  };

  return {
    ask(callId, { requests }) {
      if (requests.size > MAX_QUESTIONS)
        return Promise.reject(new AppError('BAD_ANSWER', `The server asks ${requests.size} questions at once.`));
      return new Promise((resolve, reject) => {
        const one: Asking = { callId, answers: new Map(), open: new Map(), resolve, reject };
        const texts = [...requests].map(([key, json]) => {
          const request: unknown = JSON.parse(json);
          const method = isObject(request) ? request['method'] : undefined;
          if (!ASKABLE.has(method)) return undefined;
          const id = `input-${callId}-${++count}`;
          one.open.set(id, key);
          asking.set(id, one);
          // As the server wrote them: nobody between it and the client changes a number.
          const params = rawMember(Buffer.from(json), 'params');
          return requestText(id, String(method), params === undefined ? undefined : new RawJson(params));
        });
        if (texts.includes(undefined)) {
          close(one);
          return reject(new AppError('BAD_ANSWER', 'The server asks something that no client knows.'));
        }
        if (texts.length === 0) return resolve(one.answers);
        for (const text of texts) say([Buffer.from(text ?? '')], callId);
      });
    },
    answered({ id, error }, text) {
      const one = typeof id === 'string' ? asking.get(id) : undefined;
      if (one === undefined || typeof id !== 'string') return false;
      const key = one.open.get(id) ?? '';
      asking.delete(id);
      one.open.delete(id);
      if (error !== undefined) {
        close(one);
        const said = isObject(error) ? String(error['message']) : 'no answer';
        one.reject(new AppError('CAPABILITY_MISSING', `The client did not answer the question of the server: ${said}`));
        return true;
      }
      one.answers.set(key, rawMember(Buffer.from(text), 'result') ?? 'null');
      if (one.open.size === 0) one.resolve(one.answers);
      return true;
    },
    withdraw(callId) {
      for (const one of new Set(asking.values())) {
        if (one.callId !== callId) continue;
        for (const requestId of one.open.keys())
          say([Buffer.from(notificationText('notifications/cancelled', { requestId, reason: GIVEN_UP }))], callId);
        close(one);
        one.reject(new AppError('CANCELLED', 'The call was given up.'));
      }
    },
  };
}
