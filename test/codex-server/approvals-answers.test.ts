import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed();
const ASKS = { approvalPolicy: 'untrusted' };
const OPTIONS = 'approve, approve_session, approve_rule, deny, cancel';
const exists = (name: string) => existsSync(join(shared.testbed.home.workDir, name));
const touch = (name: string) => [{ shell: `touch ${name}` }, { message: 'went on' }];

verifies(
  ['codex:respond:option-only', 'codex:respond:one-per-question', 'codex:respond:first-colon'],
  'rejects an invalid answer with the valid options, and the question stays pending',
  async () => {
    const flow = await start(shared.client, touch('wrong.txt'), ASKS);
    const { id } = await flow.question();
    const refused = async (...answers: string[]) => (await flow.refusal(id, ...answers)).split('\n')[0];
    expect(await refused('yes')).toBe(`"yes" is not a valid answer to this question. Options: ${OPTIONS}.`);
    expect(await refused('Approved')).toContain('"Approved" is not a valid answer to this question.');
    expect(await refused('yes: approve')).toContain('"yes" is not a valid answer to this question.');
    expect(await refused(': approve')).toContain('"" is not a valid answer to this question.');
    expect(await refused('toString')).toContain('"toString" is not a valid answer to this question.');
    expect(await refused()).toBe('answers must contain one answer per question: 1 is expected, 0 given.');
    expect(await refused('approve', 'approve')).toBe(
      'answers must contain one answer per question: 1 is expected, 2 given.',
    );
    expect(await flow.question()).toMatchObject({ id });
    expect(exists('wrong.txt')).toBe(false);
    // Case does not matter.
    await flow.respond(id, 'Deny');
    expect(await flow.settled()).toMatchObject({ status: 'done' });
    expect(exists('wrong.txt')).toBe(false);
  },
);

verifies(
  'codex:respond:wrong-id',
  'an answer to an unknown question, or to one of another session, changes nothing',
  async () => {
    const [one, other] = await Promise.all(
      ['foreign-1.txt', 'foreign-2.txt'].map((name) => start(shared.client, touch(name), ASKS)),
    );
    if (one === undefined || other === undefined) throw new Error('two were started');
    const [{ id }, { id: otherId }] = await Promise.all([one.question(), other.question()]);
    const nothing = `approval_${'0'.repeat(32)}`;
    expect(await one.refusal(nothing, 'approve')).toContain(
      `No approval ${nothing} is pending. Pending in this session: ${id}.`,
    );
    expect(await one.refusal(otherId, 'approve')).toContain(`No approval ${otherId} is pending.`);
    expect(await one.refusal('', 'approve')).toContain('No approval is pending.');
    expect(await one.question()).toMatchObject({ id });
    expect(await other.question()).toMatchObject({ id: otherId });
    expect([exists('foreign-1.txt'), exists('foreign-2.txt')]).toEqual([false, false]);
    await Promise.all([one.interrupt(), other.interrupt()]);
  },
);

verifies('codex:respond:wrong-id', 'a second answer is an error and does not undo the first', async () => {
  const flow = await start(shared.client, touch('twice.txt'), ASKS);
  const { id } = await flow.question();
  await flow.respond(id, 'deny');
  const late = `The approval ${id} is no longer pending: it was answered with deny by codex_respond. Nothing was changed.`;
  expect(await flow.refusal(id, 'approve')).toContain(late);
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(await flow.refusal(id, 'approve')).toContain(late);
  expect(exists('twice.txt')).toBe(false);
});

test('accepts one of several concurrent answers', async () => {
  const flow = await start(shared.client, touch('race.txt'), ASKS);
  const { id } = await flow.question();
  const answers = await Promise.all(
    ['deny: because', 'approve', 'approve: now'].map((answer) =>
      shared.client.result('codex_respond', { sessionId: flow.id, id, answers: [answer] }),
    ),
  );
  expect(answers.map((answer) => answer['isError'] === true)).toEqual([false, true, true]);
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(exists('race.txt')).toBe(false);
});

test('an answer after an interrupt is an error and starts nothing', async () => {
  const flow = await start(shared.client, touch('late.txt'), ASKS);
  const { id } = await flow.question();
  await flow.interrupt();
  expect(await flow.refusal(id, 'approve')).toMatch(/is no longer pending: it was .*Nothing was changed/u);
  expect(await flow.status()).toMatchObject({ status: 'interrupted' });
  expect(exists('late.txt')).toBe(false);
});

verifies(
  ['codex:approval:one-at-a-time', 'codex:respond:returns'],
  'several questions are pending at once, oldest first, each with its own id',
  async () => {
    const calls = ['a', 'b', 'c'].map((name) => ({ shell: `touch many-${name}.txt` }));
    const flow = await start(shared.client, [{ calls }, { message: 'went on' }], ASKS);
    const asked = await flow.questions(3);
    const texts = asked.map(({ questions }) => /touch many-(\w)\.txt/u.exec(questions[0]?.question ?? '')?.[1]);
    // Codex runs them concurrently and asks in any order.
    expect([...texts].sort()).toEqual(['a', 'b', 'c']);
    const times = asked.map(({ askedAt }) => askedAt);
    expect(times).toEqual([...times].sort());
    const [first, second, third] = asked.map(({ id }) => id);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(await flow.status()).toMatchObject({ pendingQuestion: { id: first } });
    expect(await flow.respond(second ?? '', 'approve')).toMatchObject({
      status: 'awaiting_approval',
      pendingQuestion: { id: first },
      pendingQuestions: [{ id: first }, { id: third }],
    });
    expect(await flow.respond(first ?? '', 'deny')).toMatchObject({ pendingQuestion: { id: third } });
    expect(await flow.respond(third ?? '', 'approve')).toEqual({ sessionId: flow.id, status: 'active' });
    expect(await flow.settled()).toMatchObject({ status: 'done', result: 'went on' });
    expect(texts.map((name) => exists(`many-${name}.txt`))).toEqual([false, true, true]);
  },
);

verifies(
  'codex:server:concurrent',
  'sessions with pending questions show only their own, and are answered separately',
  async () => {
    const names = ['x', 'y', 'z'];
    const flows = await Promise.all(names.map((name) => start(shared.client, touch(`apart-${name}.txt`), ASKS)));
    const asked = await Promise.all(flows.map((flow) => flow.questions(1)));
    const texts = asked.map((each) => each.map(({ questions }) => questions[0]?.question.split('\n')[0]));
    expect(texts).toEqual(names.map((name) => [`Codex wants to execute: /bin/bash -lc 'touch apart-${name}.txt'`]));
    await flows[1]?.respond(asked[1]?.[0]?.id ?? '', 'approve');
    expect(await flows[1]?.settled()).toMatchObject({ status: 'done' });
    expect(await Promise.all(flows.map((flow) => flow.status()))).toMatchObject([
      { status: 'awaiting_approval' },
      { status: 'done' },
      { status: 'awaiting_approval' },
    ]);
    expect(names.map((name) => exists(`apart-${name}.txt`))).toEqual([false, true, false]);
    await Promise.all(flows.map((flow) => flow.interrupt()));
  },
);

verifies('codex:server:unknown-session', 'an answer for an unknown session names it', async () => {
  const id = '01a10000-0000-7000-8000-000000000000';
  expect(await shared.client.failure('codex_respond', { sessionId: id, id: 'x', answers: ['approve'] })).toContain(
    `No turn of session ${id}`,
  );
});

verifies('codex:respond:required', 'every argument of codex_respond is required', async () => {
  const flow = await start(shared.client, touch('needed.txt'), ASKS);
  const { id } = await flow.question();
  const whole = { sessionId: flow.id, id, answers: ['approve'] };
  for (const name of ['sessionId', 'id', 'answers'] as const) {
    const { [name]: _, ...rest } = whole;
    expect(await shared.client.failure('codex_respond', rest)).toContain(name);
  }
  expect(await shared.client.failure('codex_respond', { ...whole, answers: 'approve' })).toContain('answers');
  expect(exists('needed.txt')).toBe(false);
  await flow.interrupt();
});
