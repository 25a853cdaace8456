import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { eventually } from './testbed.ts';

const shared = shareTestbed({}, { env: { APPROVAL_TIMEOUT_MS: '6000' } });
const ASKS = { approvalPolicy: 'untrusted' };
const exists = (name: string) => existsSync(join(shared.testbed.home.workDir, name));

verifies(
  ['codex:approval:timeout', 'codex:env:approval-timeout'],
  'an unanswered approval times out and is refused, the session reports it, and the turn continues',
  async () => {
    const flow = await start(shared.client, [{ shell: 'touch late.txt' }, { message: 'went on' }], ASKS);
    const { id } = await flow.question();
    const status = await eventually(async () => {
      const now = await flow.status();
      return now['status'] === 'done' ? now : undefined;
    });
    expect(status).toMatchObject({
      result: 'went on',
      warnings: ['An approval was refused because nobody answered within 6 s (APPROVAL_TIMEOUT_MS).'],
    });
    expect(exists('late.txt')).toBe(false);
    expect(await flow.refusal(id, 'approve')).toContain(
      `The approval ${id} is no longer pending: it was refused because nobody answered in time.`,
    );
    expect(exists('late.txt')).toBe(false);
  },
);

test('an answer in time is not refused later', async () => {
  const steps = [{ shell: 'touch early.txt' }, { delayMs: 6_500 }, { message: 'went on' }];
  const flow = await start(shared.client, steps, ASKS);
  await flow.respond((await flow.question()).id, 'approve');
  const status = await flow.settled();
  expect(status).toMatchObject({ status: 'done' });
  expect(status['warnings']).toBeUndefined();
  expect(exists('early.txt')).toBe(true);
});
