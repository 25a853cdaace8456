import { afterAll, beforeAll } from 'vitest';
import { mergeToml } from '../codex/toml.ts';
import { createProcessTracker } from '../processes.ts';
import { type CodexClient, openTestbed, type ServeOptions, type Testbed } from './testbed.ts';

type HomeOptions = NonNullable<Parameters<typeof openTestbed>[1]>;

/** One testbed and one server for all tests of a file. Each test has its own sessions. */
interface SharedTestbed {
  readonly testbed: Testbed;
  readonly client: CodexClient;
}

/** Opens before the first test. After the last one, no process may be left running. */
export function shareTestbed(home: HomeOptions = {}, served: ServeOptions = {}): SharedTestbed {
  const processes = createProcessTracker();
  let testbed: Testbed | undefined;
  let client: CodexClient | undefined;
  beforeAll(async () => {
    testbed = await openTestbed(processes, withoutShellSnapshot(home));
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

/** Codex starts some 20 processes for each session to take a snapshot of the login shell. */
export function withoutShellSnapshot(home: HomeOptions): HomeOptions {
  if (home.release !== undefined && home.release !== 'current') return home;
  return { ...home, extra: mergeToml({ features: { shell_snapshot: false } }, home.extra ?? {}) };
}

function opened<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('The testbed is not open. Use it inside a test.');
  return part;
}
