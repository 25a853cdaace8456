import { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import { type Incoming, isObject, notificationText, requestText } from '../../../../wire/messages.ts';

/** What a server wants to know before it can answer a call. */
export interface InputRequired {
  readonly requests: Readonly<Record<string, unknown>>;
  /** JSON text, exactly as it came; undefined when there is none. */
  readonly stateText: string | undefined;
}

/** The answers, by the server's own keys. */
type InputResponses = Readonly<Record<string, unknown>>;

interface Asking {
  readonly callId: number;
  readonly answers: Record<string, unknown>;
  readonly open: Map<string, string>;
  resolve(answers: InputResponses): void;
  reject(error: AppError): void;
}

/** Asks the client, in the legacy way, what a modern server asks in its answers. */
export interface Questions {
  ask(callId: number, required: InputRequired): Promise<InputResponses>;
  /** True when this is the answer to a question of ours. */
  answered(message: Incoming): boolean;
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
      const entries = Object.entries(requests);
      if (entries.length > MAX_QUESTIONS)
        return Promise.reject(new AppError('BAD_ANSWER', `The server asks ${entries.length} questions at once.`));
      return new Promise((resolve, reject) => {
        const one: Asking = { callId, answers: {}, open: new Map(), resolve, reject };
        const texts = entries.map(([key, request]) => {
          const method = isObject(request) ? request['method'] : undefined;
          if (!isObject(request) || !ASKABLE.has(method)) return undefined;
          const id = `input-${callId}-${++count}`;
          one.open.set(id, key);
          asking.set(id, one);
          return requestText(id, String(method), request['params']);
        });
        if (texts.includes(undefined)) {
          close(one);
          return reject(new AppError('BAD_ANSWER', 'The server asks something that no client knows.'));
        }
        if (texts.length === 0) return resolve({});
        for (const text of texts) say([Buffer.from(text ?? '')], callId);
      });
    },
    answered({ id, result, error }) {
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
      Object.defineProperty(one.answers, key, { value: result, enumerable: true });
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
