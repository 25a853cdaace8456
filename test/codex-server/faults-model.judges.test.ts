import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { createProcessTracker } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { startArguments } from './stop-phases.ts';
import { type CodexClient, openTestbed, type Testbed } from './testbed.ts';

const processes = createProcessTracker();
let testbed: Testbed;
let client: CodexClient;

beforeAll(async () => {
  testbed = await openTestbed(processes);
  client = await testbed.serve();
});

afterAll(async () => {
  await testbed[Symbol.asyncDispose]();
  await processes.assertAllGone({ withinMs: 20_000 });
});

const CUT = /^stream disconnected before completion: /;
const failures: readonly (readonly [string, Step, object])[] = [
  ['401', { error: 401 }, { kind: 'auth', httpStatus: 401, message: expect.stringContaining('401 Unauthorized') }],
  ['429', { error: 429 }, { kind: 'rate_limit', httpStatus: 429, message: expect.stringContaining('429') }],
  ['500', { error: 500 }, { kind: 'overloaded', message: expect.stringContaining('high demand') }],
  ['a stream that breaks off', { cut: true }, { kind: 'network', message: expect.stringMatching(CUT) }],
  [
    'a used up plan',
    { failed: { code: 'insufficient_quota', message: 'no money' } },
    { kind: 'usage_limit', message: expect.stringContaining('Quota exceeded') },
  ],
];

describe('a model that answers with', () => {
  for (const [name, step, error] of failures)
    verifies(
      ['codex:session:turn-failed', 'codex:status:error-reason', 'codex:say:after-error'],
      `${name} puts the session in error with the reason, and the session can continue`,
      async () => {
        const failed = await client.call('codex_start', { ...startArguments([step]), waitSeconds: 50 });

        expect(failed).toMatchObject({ status: 'error', error });
        expect(failed).not.toHaveProperty('result');
        const { sessionId } = failed;
        const sayArguments = { sessionId, message: script([{ message: 'well again' }]), waitSeconds: 50 };
        const well = await client.call('codex_say', sayArguments);
        expect(well).toMatchObject({ status: 'done', result: 'well again' });
        expect(well).not.toHaveProperty('error');
      },
    );
});

verifies('codex:status:error-reason', 'a full context window is reported as such', async () => {
  const full: Step = { failed: { code: 'context_length_exceeded', message: 'too long' } };
  expect(await client.call('codex_start', { ...startArguments([full]), waitSeconds: 50 })).toMatchObject({
    status: 'error',
    error: { kind: 'context_window', message: expect.stringContaining('context window') },
  });
});

test('items from before the stream broke off are still listed', async () => {
  const steps: readonly Step[] = [{ shell: 'echo before' }, { message: 'half' }, { cut: true }];
  const { sessionId } = await client.call('codex_start', { ...startArguments(steps), waitSeconds: 50 });
  const { status, itemEvents } = await client.call('codex_status', { sessionId });
  expect(status).toBe('error');
  expect(itemEvents).toContainEqual({
    itemType: 'command_execution',
    status: 'completed',
    summary: expect.stringContaining('echo before'),
  });
});
