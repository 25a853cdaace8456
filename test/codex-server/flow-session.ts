import { isObject, type JsonObject, objectsOf } from '../codex/json.ts';
import type { Model } from '../codex/model.ts';
import { type ModelRequest, textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { type CodexClient, eventually, FREE } from './testbed.ts';

/** A pending approval, as shown by `codex_status`. */
interface PendingQuestion {
  readonly id: string;
  readonly type: string;
  readonly askedAt: string;
  readonly questions: readonly { readonly question: string; readonly options: readonly string[] }[];
}

/** One session under test. */
export interface Flow {
  readonly id: string;
  status(args?: JsonObject): Promise<JsonObject>;
  /** Resolves with its status when it is done or needs an answer. */
  settled(): Promise<JsonObject>;
  /** Resolves with the oldest pending approval. */
  question(): Promise<PendingQuestion>;
  /** Resolves with all pending approvals when there are `count` of them. */
  questions(count: number): Promise<readonly PendingQuestion[]>;
  respond(id: string, ...answers: string[]): Promise<JsonObject>;
  /** Returns the error text for a rejected answer. */
  refusal(id: string, ...answers: string[]): Promise<string>;
  /** Returns the result. If it waited, also returns the status. */
  say(steps: readonly Step[], args?: JsonObject): Promise<JsonObject>;
  interrupt(): Promise<JsonObject>;
}

/** Starts a session that plays these steps. */
export async function start(client: CodexClient, steps: readonly Step[], args: JsonObject = {}): Promise<Flow> {
  const { sessionId } = await client.call('codex_start', { ...FREE, ...args, prompt: script(steps) });
  return follow(client, String(sessionId));
}

/** Plays these steps in a new session. Returns its status when it is done or needs an answer. */
export async function run(client: CodexClient, steps: readonly Step[], args: JsonObject = {}): Promise<JsonObject> {
  return (await start(client, steps, args)).settled();
}

export function follow(client: CodexClient, id: string): Flow {
  const about = (name: string, args: JsonObject = {}) => client.call(name, { sessionId: id, ...args });
  const status = (args?: JsonObject) => about('codex_status', args);
  const questions = (count: number) =>
    eventually(async () => {
      const { pendingQuestions } = await status();
      const found = objectsOf(pendingQuestions).map(toPendingQuestion);
      return found.length >= count ? found : undefined;
    });
  return {
    id,
    status,
    async settled() {
      await client.call('codex_wait', { sessionIds: [id], timeoutSeconds: 50 });
      return status();
    },
    async question() {
      const [oldest] = await questions(1);
      if (oldest === undefined) throw new Error('no approval is pending');
      return oldest;
    },
    questions,
    respond: (questionId, ...answers) => about('codex_respond', { id: questionId, answers }),
    refusal: (questionId, ...answers) => client.failure('codex_respond', { sessionId: id, id: questionId, answers }),
    async say(steps, args = {}) {
      const answer = await about('codex_say', { message: script(steps), ...args });
      if (args['waitSeconds'] === undefined) return answer;
      return { ...(await client.call('codex_status', { sessionId: answer['sessionId'] })), ...answer };
    },
    interrupt: () => about('codex_interrupt'),
  };
}

function toPendingQuestion({ id, type, askedAt, questions }: JsonObject): PendingQuestion {
  const parts = objectsOf(questions).map(({ question, options }) => ({
    question: String(question),
    options: Array.isArray(options) ? options.map(String) : [],
  }));
  return { id: String(id), type: String(type), askedAt: String(askedAt), questions: parts };
}

/** Returns the requests to the model in a session, oldest first. */
export function requestsOf({ requests }: Model, sessionId: string): readonly ModelRequest[] {
  return requests.filter(({ body }) => body['prompt_cache_key'] === sessionId);
}

/** Returns the conversation since the last script: the role or type of each item, and its text. */
export function lastPart({ input }: ModelRequest): readonly (readonly [kind: string, text: string])[] {
  const from = input.findLastIndex((item) => item['role'] === 'user' && textOf(item['content']).includes('[[fake:'));
  return input
    .slice(from + 1)
    .filter((item) => item['type'] !== 'reasoning')
    .map((item) => [String(item['role'] ?? item['type']), textOf(item['content'] ?? item['output'])] as const);
}

/** Returns the type, status and summary of each item in a status. */
export function itemsOf({ itemEvents }: JsonObject): readonly string[] {
  return objectsOf(itemEvents).map(({ itemType, status, summary }) =>
    [itemType, status, ...(summary === undefined ? [] : [summary])].join(' '),
  );
}

/** Returns a member that must be an object. */
export function member(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  if (!isObject(found)) throw new Error(`no ${name} in ${JSON.stringify(value)}`);
  return found;
}
