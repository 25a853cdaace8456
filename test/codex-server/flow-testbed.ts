import { afterAll, beforeAll } from 'vitest';
import { createProcessTracker } from '../processes.ts';
import { type CodexClient, openTestbed, type ServeOptions, type Testbed } from './testbed.ts';

/** One testbed and one server for all tests of a file. Each test has its own sessions. */
interface SharedTestbed {
  readonly testbed: Testbed;
  readonly client: CodexClient;
}

/** Opens before the first test. After the last one, no process may be left running. */
export function shareTestbed(home: Parameters<typeof openTestbed>[1] = {}, served: ServeOptions = {}): SharedTestbed {
  const processes = createProcessTracker();
  let testbed: Testbed | undefined;
  let client: CodexClient | undefined;
  beforeAll(async () => {
    testbed = await openTestbed(processes, home);
    client = await testbed.serve(served);
  });
  afterAll(async () => {
    await testbed?.[Symbol.asyncDispose]();
    await processes.assertAllGone({ withinMs: 20_000 });
  });
  return {
    get testbed() {
      return opened(testbed);
    },
    get client() {
      return opened(client);
    },
  };
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('The testbed is not open. Use it inside a test.');
  return part;
}
