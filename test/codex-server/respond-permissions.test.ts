import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { toolOutputs } from '../codex/model-request.ts';
import { lastPart, requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const shared = shareTestbed({ extra: { features: { request_permissions_tool: true } } });
const outside = () => join(shared.testbed.home.rootDir, 'outside');
const exists = (name: string) => existsSync(join(outside(), name));
beforeEach(() => mkdir(outside(), { recursive: true }).then(() => undefined));

/** Requests access to a folder outside of the workspace, then writes to it. */
const asking = (name: string, approvalPolicy = 'on-request') => {
  const permissions = { file_system: { write: [outside()] } };
  const request = { tool: { name: 'request_permissions', arguments: { reason: 'need it', permissions } } };
  const steps = [request, { shell: `touch ${join(outside(), name)}` }, { message: 'went on' }];
  return start(shared.client, steps, { approvalPolicy });
};

test('a permission request states what is requested and why', async () => {
  const flow = await asking('asked');
  expect(await flow.settled()).toMatchObject({ status: 'awaiting_approval' });
  const { type, questions } = await flow.question();
  expect({ type, options: questions[0]?.options }).toEqual({
    type: 'permission_approval',
    options: ['approve', 'approve_session', 'deny'],
  });
  expect(questions[0]?.question).toMatch(
    /^Codex asks for permissions: \{.*"write":\[.*\nReason given by the model:\n> need it$/su,
  );
  expect(questions[0]?.question).toContain(outside());
  await flow.interrupt();
});

test('an approval is valid for the turn', async () => {
  const flow = await asking('for-turn');
  await flow.respond((await flow.question()).id, 'approve');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(exists('for-turn')).toBe(true);
  await flow.say([{ shell: `touch ${join(outside(), 'next-turn')}` }, { message: 'tried' }]);
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'tried' });
  expect(exists('next-turn')).toBe(false);
});

test('an approval for the session is valid for its later turns', async () => {
  const flow = await asking('for-session');
  await flow.respond((await flow.question()).id, 'approve_session');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  await flow.say([{ shell: `touch ${join(outside(), 'later')}` }, { message: 'tried' }]);
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect([exists('for-session'), exists('later')]).toEqual([true, true]);
});

test('a denied permission is not granted, the model gets the reason, and the turn continues', async () => {
  const flow = await asking('denied');
  await flow.respond((await flow.question()).id, 'deny: stay inside');
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'went on' });
  expect(exists('denied')).toBe(false);
  const [, second] = requestsOf(shared.testbed.model, flow.id);
  expect(second === undefined ? [] : lastPart(second)).toEqual([
    ['function_call', ''],
    ['function_call_output', '{"permissions":{"network":null,"file_system":null},"scope":"turn"}'],
    ['user', 'Denied: stay inside'],
  ]);
});

test('with the approval policy never, the request is refused without a question', async () => {
  const flow = await asking('never', 'never');
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'went on' });
  expect(exists('never')).toBe(false);
  const [, second] = requestsOf(shared.testbed.model, flow.id);
  expect(second === undefined ? [] : toolOutputs(second)).toHaveLength(1);
});
