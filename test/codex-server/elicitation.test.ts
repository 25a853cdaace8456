import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { verifies } from '../verifies.ts';
import { lastPart, requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { eventually } from './testbed.ts';

/** How the user answers. Each test sets its own. */
let answer: (params: JsonObject) => unknown = () => undefined;
const asked: JsonObject[] = [];
beforeEach(() => {
  asked.length = 0;
});

const shared = shareTestbed(
  {},
  {
    capabilities: { elicitation: {} },
    onRequest: (method, params) => {
      asked.push({ method, ...params });
      return answer(params);
    },
  },
);
const ASKS = { approvalPolicy: 'untrusted' };
const exists = (name: string) => existsSync(join(shared.testbed.home.workDir, name));
const touch = (name: string) => [{ shell: `touch ${name}` }, { message: 'went on' }];
const accepting = (content: JsonObject) => () => ({ action: 'accept', content });
const never = () => new Promise(() => undefined);

verifies(
  ['codex:approval:elicitation', 'codex:approval:elicitation-accept'],
  'sends a form to a client that supports elicitation, and runs what the user approves',
  async () => {
    answer = accepting({ decision: 'approve' });
    const flow = await start(shared.client, touch('yes.txt'), ASKS);
    expect(await flow.settled()).toMatchObject({ status: 'done', result: 'went on' });
    expect(exists('yes.txt')).toBe(true);
    expect(asked).toEqual([
      {
        method: 'elicitation/create',
        message: expect.stringMatching(/^Codex wants to execute: \/bin\/bash -lc 'touch yes\.txt'\n/u),
        requestedSchema: {
          type: 'object',
          properties: {
            decision: {
              type: 'string',
              title: 'Decision',
              enum: ['approve', 'approve_session', 'approve_rule', 'deny', 'cancel'],
            },
            reason: { type: 'string', title: 'Reason', description: 'Optional. Sent to Codex.' },
          },
          required: ['decision'],
        },
      },
    ]);
  },
);

verifies(
  'codex:approval:elicitation-deny',
  'a refusal by the user denies, and the model gets the reason with it',
  async () => {
    answer = accepting({ decision: 'deny', reason: 'not: now' });
    const flow = await start(shared.client, touch('no.txt'), ASKS);
    expect(await flow.settled()).toMatchObject({ status: 'done', result: 'went on' });
    expect(exists('no.txt')).toBe(false);
    const [, second] = requestsOf(shared.testbed.model, flow.id);
    expect(second === undefined ? [] : lastPart(second)).toEqual([
      ['function_call', ''],
      ['function_call_output', expect.stringContaining('rejected by user')],
      ['user', 'Denied: not: now'],
    ]);
  },
);

verifies('codex:approval:elicitation-deny', 'anything but a clear approval denies', async () => {
  const answers: readonly unknown[] = [
    { action: 'accept', content: { decision: 'deny' } },
    { action: 'decline' },
    { action: 'accept' },
    { action: 'accept', content: {} },
    { action: 'accept', content: { decision: 'yes' } },
    { action: 'accept', content: { decision: ['approve'] } },
    { action: 'accept', content: { decision: 'approve: now' } },
    { action: 'accept', decision: 'approve' },
  ];
  answer = ({ message }) => answers[Number(/unclear-(\d)/u.exec(String(message))?.[1])];
  const names = answers.map((_, index) => `unclear-${index}.txt`);
  const flows = await Promise.all(names.map((name) => start(shared.client, touch(name), ASKS)));
  const ends = await Promise.all(flows.map((flow) => flow.settled()));
  expect(ends.map(({ status, result }) => [status, result])).toEqual(names.map(() => ['done', 'went on']));
  expect(names.filter(exists)).toEqual([]);
  expect(asked).toHaveLength(names.length);
});

verifies('codex:approval:elicitation-fallback', 'a closed dialog leaves the question to codex_respond', async () => {
  answer = () => ({ action: 'cancel' });
  const flow = await start(shared.client, touch('closed.txt'), ASKS);
  expect(await flow.settled()).toMatchObject({ status: 'awaiting_approval' });
  expect(asked).toHaveLength(1);
  expect(exists('closed.txt')).toBe(false);
  await flow.respond((await flow.question()).id, 'approve');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(exists('closed.txt')).toBe(true);
  expect(asked).toHaveLength(1);
});

verifies(
  'codex:approval:elicitation-fallback',
  'a client that fails, or answers with something else, leaves the question to codex_respond',
  async () => {
    for (const [index, wrong] of [fails, () => null, () => 'approve', () => ({ action: 'approve' })].entries()) {
      answer = wrong;
      const flow = await start(shared.client, touch(`failed-${index}.txt`), ASKS);
      expect(await flow.settled()).toMatchObject({ status: 'awaiting_approval' });
      expect(exists(`failed-${index}.txt`)).toBe(false);
      await flow.respond((await flow.question()).id, 'deny');
      expect(await flow.settled()).toMatchObject({ status: 'done' });
      expect(exists(`failed-${index}.txt`)).toBe(false);
    }
  },
);

function fails(): never {
  throw new Error('no window to show it in');
}

test('while the dialog is open, the status shows it and codex_respond can still answer', async () => {
  answer = never;
  const flow = await start(shared.client, touch('other.txt'), ASKS);
  const { id } = await flow.question();
  expect(await flow.status()).toMatchObject({
    status: 'awaiting_approval',
    pendingQuestion: { id, askedByElicitation: true },
  });
  await flow.respond(id, 'approve');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(exists('other.txt')).toBe(true);
  // Nothing is left to ask in the dialog.
  const cancelled = await eventually(() =>
    shared.client.notifications.find(({ method }) => method === 'notifications/cancelled'),
  );
  expect(cancelled.params).toMatchObject({ requestId: expect.anything() });
});

test('a user response that arrives after another answer has no effect', async () => {
  let settle: (value: unknown) => void = () => undefined;
  answer = () => new Promise((resolve) => (settle = resolve));
  const flow = await start(shared.client, touch('too-late.txt'), ASKS);
  const { id } = await flow.question();
  await eventually(() => asked.length === 1);
  await flow.respond(id, 'deny');
  settle({ action: 'accept', content: { decision: 'approve' } });
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'went on' });
  expect(exists('too-late.txt')).toBe(false);
});

test('a wait ends when the user has answered, not when the user is asked', async () => {
  answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { action: 'accept', content: { decision: 'approve' } };
  };
  const flow = await start(shared.client, touch('waited.txt'), ASKS);
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(exists('waited.txt')).toBe(true);
});

test('an interrupt while the dialog is open closes it and ends the turn', async () => {
  answer = never;
  const before = shared.client.notifications.filter(({ method }) => method === 'notifications/cancelled').length;
  const flow = await start(shared.client, touch('ended.txt'), ASKS);
  await flow.question();
  expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted' });
  await eventually(
    () => shared.client.notifications.filter(({ method }) => method === 'notifications/cancelled').length > before,
  );
  expect(exists('ended.txt')).toBe(false);
});
