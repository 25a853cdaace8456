import { expect, test } from 'vitest';
import { isObject, type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { FREE } from './testbed.ts';

const shared = shareTestbed({}, { args: ['--tools', 'all'] });

/** Sets every optional argument of a tool to null, except these. */
async function withNulls(name: string, args: JsonObject): Promise<JsonObject> {
  const { tools } = await shared.client.request('tools/list');
  const schema = objectsOf(tools).find((tool) => tool['name'] === name)?.['inputSchema'];
  const { properties = {}, required = [] } = isObject(schema) ? schema : {};
  const names = Object.keys(isObject(properties) ? properties : {});
  const left = names.filter((one) => args[one] === undefined && !(Array.isArray(required) && required.includes(one)));
  return { ...Object.fromEntries(left.map((one) => [one, null])), ...args };
}

test('null for an optional argument equals omitting it, in every tool', async () => {
  const { client } = shared;
  const call = async (name: string, args: JsonObject = {}) => client.call(name, await withNulls(name, args));
  const prompt = script([{ message: 'one' }]);
  const { sessionId = '' } = await call('codex_start', { ...FREE, prompt, waitSeconds: 50 });
  expect(await call('codex_status', { sessionId })).toMatchObject({ status: 'done', result: 'one' });
  expect(await call('codex_say', { sessionId, message: prompt })).toMatchObject({ delivered: 'started' });
  expect(await call('codex_wait', { sessionIds: [sessionId] })).toMatchObject({ isOver: true });
  expect(await call('codex_interrupt', { sessionId })).toMatchObject({ status: 'done' });
  expect(await call('codex_list')).toMatchObject({
    sessions: expect.arrayContaining([expect.objectContaining({ sessionId })]),
  });
  expect(await call('codex_fork', { sessionId })).toMatchObject({ forkedFrom: sessionId });
  expect(await call('codex_read', { sessionId })).toMatchObject({ sessionId });
  expect(await call('codex_diff', { sessionId })).toMatchObject({ sessionId });
  expect(await call('codex', { prompt, sandbox: 'read-only' })).toMatchObject({ content: 'one' });
  expect(await call('codex-reply', { prompt, threadId: sessionId })).toMatchObject({ content: 'one' });
});

test('null for a required or an unknown argument is refused', async () => {
  const { client } = shared;
  expect(await client.failure('codex_start', { prompt: null })).toContain('prompt');
  expect(await client.failure('codex_status', { sessionId: null })).toContain('sessionId');
  expect(await client.failure('codex_list', { nobodyKnows: null })).toContain('nobodyKnows');
});

test.each(['Approve', 'APPROVE: go on', 'approve'])('the decision %s runs the command', async (word) => {
  const flow = await start(shared.client, [{ shell: 'echo yes' }, { message: 'ran' }], { approvalPolicy: 'untrusted' });
  const { id } = await flow.question();
  await flow.respond(id, word);
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'ran' });
});

test('the decision DENY refuses the command', async () => {
  const steps = [{ shell: 'touch denied.txt' }, { message: 'refused' }];
  const flow = await start(shared.client, steps, { approvalPolicy: 'untrusted' });
  const { id } = await flow.question();
  await flow.respond(id, 'DENY');
  const settled = await flow.settled();
  expect(settled).toMatchObject({ status: 'done', result: 'refused' });
  expect(JSON.stringify(settled)).not.toContain('completed /bin/bash');
});
