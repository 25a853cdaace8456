import type { AppServer } from './app-server.ts';
import { isObject, type JsonObject } from './json.ts';
import { script } from './script.ts';
import type { Step } from './steps.ts';

/** Starts a thread and returns its id. */
export async function startThread(server: AppServer, params: JsonObject): Promise<string> {
  const { thread } = await server.request('thread/start', params);
  return isObject(thread) ? String(thread['id']) : 'none';
}

/** Plays the steps as one turn and returns the completed turn. */
export async function runTurn(server: AppServer, threadId: string, steps: readonly Step[]): Promise<unknown> {
  const input = [{ type: 'text', text: script(steps) }];
  const started = await server.request('turn/start', { threadId, input });
  const id = isObject(started['turn']) ? started['turn']['id'] : undefined;
  const { params } = await server.waitFor('turn/completed', ({ turn }) => isObject(turn) && turn['id'] === id);
  return params['turn'];
}
