import { describe, expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { commandsWith, phases } from './stop-phases.ts';
import { openStoppableSession, starting } from './stop-testbed.ts';
import type { CodexClient } from './testbed.ts';

interface End {
  readonly name: string;
  readonly stop: (client: CodexClient) => void;
  readonly exit: { readonly code: number | null; readonly signal: string | null };
}

const ends: readonly End[] = [
  { name: 'the end of stdin', stop: (client) => client.endInput(), exit: { code: 0, signal: null } },
  { name: 'TERM', stop: (client) => client.kill('SIGTERM'), exit: { code: 143, signal: null } },
  // Only the guard is left to clean up.
  { name: 'KILL', stop: (client) => client.kill('SIGKILL'), exit: { code: null, signal: 'SIGKILL' } },
];

/** Stopping takes at most four seconds. */
const MAX_EXIT_MS = 25_000;
/** The guard then stops processes that outlive the server, with its own delays. */
const MAX_GUARD_MS = 25_000;

describe.each(ends)('$name of the server', ({ stop, exit }) => {
  for (const phase of [starting, ...phases])
    verifies('codex:server:shutdown', `leaves no process of a session that is ${phase.name}`, async () => {
      await using stage = await openStoppableSession(phase);
      const { client, processes, token } = stage;
      const begunAt = performance.now();

      stop(client);

      expect(await client.exited).toEqual(exit);
      expect(performance.now() - begunAt).toBeLessThan(MAX_EXIT_MS);
      await processes.assertAllGone({ withinMs: MAX_GUARD_MS });
      expect(commandsWith(token)).toEqual([]);
    });
});
