import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { verifies } from '../verifies.ts';
import { start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed(
  {},
  {
    env: { APPROVAL_TIMEOUT_MS: '12000' },
    capabilities: { elicitation: {} },
    onRequest: () => new Promise(() => undefined),
  },
);

verifies(
  ['codex:approval:elicitation-fallback', 'codex:approval:timeout'],
  'the user has half the time to answer, codex_respond the rest, and then the approval is refused',
  async () => {
    const steps = ['first', 'second'].map((name) => [{ shell: `touch ${name}.txt` }, { message: 'went on' }]);
    const [one, other] = await Promise.all(
      steps.map((each) => start(shared.client, each, { approvalPolicy: 'untrusted' })),
    );
    if (one === undefined || other === undefined) throw new Error('two were started');
    expect(await one.question()).toBeDefined();
    expect(await one.status()).toMatchObject({ pendingQuestion: { askedByElicitation: true } });
    const left = await one.settled();
    expect(left).toMatchObject({ status: 'awaiting_approval' });
    expect(JSON.stringify(left['pendingQuestion'])).not.toContain('askedByElicitation');
    await one.respond((await one.question()).id, 'approve');
    expect(await one.settled()).toMatchObject({ status: 'done' });
    await vi.waitFor(async () => expect(await other.status()).toMatchObject({ status: 'done' }), 30_000);
    const { workDir } = shared.testbed.home;
    expect(['first', 'second'].map((name) => existsSync(join(workDir, `${name}.txt`)))).toEqual([true, false]);
  },
);
