import { afterAll, beforeAll } from 'vitest';
import { createProcessTracker } from '../processes.ts';
import { type CodexClient, openWorld, type ServeOptions, type World } from './world.ts';

/** One world and one server for all tests of a file. Each test has its own sessions. */
interface SharedWorld {
  readonly world: World;
  readonly client: CodexClient;
}

/** Opens before the first test. After the last one, no process may be left running. */
export function shareWorld(home: Parameters<typeof openWorld>[1] = {}, served: ServeOptions = {}): SharedWorld {
  const processes = createProcessTracker();
  let world: World | undefined;
  let client: CodexClient | undefined;
  beforeAll(async () => {
    world = await openWorld(processes, home);
    client = await world.serve(served);
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await processes.assertAllGone({ withinMs: 20_000 });
  });
  return {
    get world() {
      return opened(world);
    },
    get client() {
      return opened(client);
    },
  };
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('The world is not open. Use it inside a test.');
  return part;
}
