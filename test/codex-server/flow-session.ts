import { isObject, type JsonObject, objectsOf } from '../codex/json.ts';
import type { Model } from '../codex/model.ts';
import { type ModelRequest, textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { type CodexClient, eventually, FREE } from './world.ts';

/** A question that waits, as `codex_status` shows it. */
interface Asked {
  readonly id: string;
  readonly type: string;
  readonly askedAt: string;
  readonly questions: readonly { readonly question: string; readonly options: readonly string[] }[];
}

/** One session as a test follows it. */
export interface Flow {
  readonly id: string;
  status(args?: JsonObject): Promise<JsonObject>;
  /** Its status as soon as it is done or needs an answer. */
  settled(): Promise<JsonObject>;
  /** The oldest question, as soon as there is one. */
  question(): Promise<Asked>;
  /** All that wait, as soon as there are as many. */
  questions(count: number): Promise<readonly Asked[]>;
  respond(id: string, ...answers: string[]): Promise<JsonObject>;
  /** The text of the error with which such an answer is refused. */
  refusal(id: string, ...answers: string[]): Promise<string>;
  /** The answer; of a message that was waited for, the status beside it. */
  say(steps: readonly Step[], args?: JsonObject): Promise<JsonObject>;
  interrupt(): Promise<JsonObject>;
}

/** Starts a session that plays these steps. */
export async function start(client: CodexClient, steps: readonly Step[], args: JsonObject = {}): Promise<Flow> {
  const { sessionId } = await client.call('codex_start', { ...FREE, ...args, prompt: script(steps) });
  return follow(client, String(sessionId));
}

/** Plays these steps in a new session and gives its status when it is done or needs an answer. */
export async function run(client: CodexClient, steps: readonly Step[], args: JsonObject = {}): Promise<JsonObject> {
  return (await start(client, steps, args)).settled();
}

export function follow(client: CodexClient, id: string): Flow {
  const about = (name: string, args: JsonObject = {}) => client.call(name, { sessionId: id, ...args });
  const status = (args?: JsonObject) => about('codex_status', args);
  const questions = (count: number) =>
    eventually(async () => {
      const { pendingQuestions } = await status();
      const found = objectsOf(pendingQuestions).map(toAsked);
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
      if (oldest === undefined) throw new Error('nothing is asked');
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

function toAsked({ id, type, askedAt, questions }: JsonObject): Asked {
  const parts = objectsOf(questions).map(({ question, options }) => ({
    question: String(question),
    options: Array.isArray(options) ? options.map(String) : [],
  }));
  return { id: String(id), type: String(type), askedAt: String(askedAt), questions: parts };
}

/** What the model was sent for a session, oldest first. */
export function requestsOf({ requests }: Model, sessionId: string): readonly ModelRequest[] {
  return requests.filter(({ body }) => body['prompt_cache_key'] === sessionId);
}

/** The conversation of a request from its last script on, each part in a word and its text. */
export function lastPart({ input }: ModelRequest): readonly (readonly [kind: string, text: string])[] {
  const from = input.findLastIndex((item) => item['role'] === 'user' && textOf(item['content']).includes('[[fake:'));
  return input
    .slice(from + 1)
    .filter((item) => item['type'] !== 'reasoning')
    .map((item) => [String(item['role'] ?? item['type']), textOf(item['content'] ?? item['output'])] as const);
}

/** The items of a status, each as type, status and summary. */
export function itemsOf({ itemEvents }: JsonObject): readonly string[] {
  return objectsOf(itemEvents).map(({ itemType, status, summary }) =>
    [itemType, status, ...(summary === undefined ? [] : [summary])].join(' '),
  );
}

/** A member that must be an object. */
export function member(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  if (!isObject(found)) throw new Error(`no ${name} in ${JSON.stringify(value)}`);
  return found;
}
