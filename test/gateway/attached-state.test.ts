import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { configure } from '../mcp/test-report.ts';
import { trackProcesses } from '../processes.ts';
import { callOf, notifications, receivedParams, useTwo } from './attached-testbed.ts';
import type { Message } from './harness.ts';

const { two, attach } = useTwo(trackProcesses());

const QUESTION = 'elicitation/create';
const isQuestion = ({ method }: Message) => method === QUESTION;
const FORM = { elicitation: { form: {} } };
const ACCEPTED = { action: 'accept', content: { name: 'Ada' } };

test('an attached client of a replaced server gets its responses, then its connection ends', async () => {
  const { testbed, first, attached } = await two('offers-everything');
  const pending = attached.request('tasks/result', { ms: 1_500 });
  configure(testbed, { one: fixture('offers-everything', 'new') });
  expect((await pending).result).toEqual({ content: [], by: 'one' });
  await attached.ended;
  expect((await first.call('one__work')).result).toMatchObject({ task: { taskId: 'new-task' } });
});

describe('a server request', () => {
  const answerOf = ({ result }: Message) => JSON.parse(result.content[0].text);

  test('in a call of the attached client goes only to that client', async () => {
    const { first, attached } = await two('requests-elicitation', { first: FORM, beside: FORM });
    const call = attached.request('tools/call', { name: 'ask', arguments: {} });
    const { id, params } = await attached.waitFor(isQuestion);
    expect(params).toMatchObject({ message: 'Who are you?' });
    attached.send({ id, result: ACCEPTED });
    expect(answerOf(await call)).toMatchObject({ result: ACCEPTED });
    expect(notifications(first)).toEqual([]);
  });

  test('in a call of the first client goes only to that client', async () => {
    const { first, attached } = await two('requests-elicitation', { first: FORM, beside: FORM });
    const call = first.call('one__ask');
    const { id } = await first.waitFor(isQuestion);
    first.send({ id, result: ACCEPTED });
    expect(answerOf(await call)).toMatchObject({ result: ACCEPTED });
    expect(notifications(attached)).toEqual([]);
  });

  test('to an attached client that cannot answer is refused, and goes to no other client', async () => {
    const { first, attached } = await two('requests-elicitation', { first: FORM });
    expect(answerOf(await attached.call('ask'))).toMatchObject({ error: { code: expect.any(Number) } });
    expect([notifications(first), notifications(attached)]).toEqual([[], []]);
  });

  test('to an attached client that disconnects is answered for it, and the next request is sent normally', async () => {
    const { first, attached } = await two('requests-elicitation', { first: FORM, beside: FORM });
    attached.send(callOf(7, 'ask'));
    await attached.waitFor(isQuestion);
    attached.leave();
    const call = first.call('one__ask');
    const { id } = await first.waitFor(isQuestion);
    first.send({ id, result: ACCEPTED });
    expect(answerOf(await call)).toMatchObject({ result: ACCEPTED });
    expect(first.received.filter(isQuestion).length).toBe(1);
  });
});

describe('the state of an attached client at the server', () => {
  const URI = 'test://one/listed';
  const updates = (client: { readonly received: readonly Message[] }) =>
    notifications(client).filter(({ method }) => method === 'notifications/resources/updated');

  test('a resource subscription notifies it, and not the first client', async () => {
    const { first, attached } = await two('offers-everything');
    await attached.request('resources/subscribe', { uri: URI });
    await first.call('one__touch', { uri: URI });
    await expect.poll(() => updates(attached).map(({ params }) => params), { timeout: 30_000 }).toEqual([{ uri: URI }]);
    expect(updates(first)).toEqual([]);
  });

  test('an unsubscribe does not affect the first client', async () => {
    const { first, attached } = await two('offers-everything');
    await first.request('resources/subscribe', { uri: URI });
    await attached.request('resources/subscribe', { uri: URI });
    await attached.request('resources/unsubscribe', { uri: URI });
    expect(await receivedParams(attached, 'resources/unsubscribe')).toEqual([]);
    await attached.call('touch', { uri: URI });
    await expect.poll(() => updates(first).map(({ params }) => params), { timeout: 30_000 }).toEqual([{ uri: URI }]);
    expect(updates(attached)).toEqual([]);
  });

  test('its log level does not silence the server for the first client', async () => {
    const { first, attached } = await two('offers-everything');
    await first.request('logging/setLevel', { level: 'debug' });
    await attached.request('logging/setLevel', { level: 'error' });
    const levels = (await receivedParams(attached, 'logging/setLevel')).map((params) => Object(params).level);
    expect(levels.at(-1)).toBe('debug');
    await attached.call('log', { level: 'info', data: 'too little for it' });
    await attached.call('log', { level: 'error', data: 'enough' });
    expect(notifications(attached).map(({ params }) => params?.['data'])).toEqual(['enough']);
  });
});

test('an attached client cannot call a tool that a pinned server does not list', async () => {
  const pinned = { ...fixture('well-behaved'), pin: true };
  const { running } = await two('well-behaved', { others: { pinned } });
  const attached = await attach(running, 'pinned');
  const { error } = await attached.call('unlisted');
  expect(error?.message).toBe('pinned.unlisted is quarantined: its server does not list it');
  expect((await attached.call('echo', { text: 'x' })).error).toBeUndefined();
});
