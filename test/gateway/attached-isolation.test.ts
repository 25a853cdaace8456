import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { callOf, notifications, receivedParams, useTwo } from './attached-testbed.ts';
import type { Message } from './harness.ts';
import { lines } from './scripted-lines.ts';

const { two, attach } = useTwo(trackProcesses());

describe('an attached client and the first client', () => {
  test('each get their own progress and responses, even with equal ids and tokens', async () => {
    const { first, attached } = await two('floods-progress');
    const ids = Array.from({ length: 10 }, (_, index) => 100 + index);
    for (const id of ids) {
      first.send(callOf(id, 'one__flood', { count: id }, id));
      attached.send(callOf(id, 'flood', { count: id * 2 }, id));
    }
    for (const id of ids) await Promise.all([first.answer(id), attached.answer(id)]);
    for (const [client, factor] of [
      [first, 1],
      [attached, 2],
    ] as const) {
      for (const id of ids) {
        const count = id * factor;
        const about = client.received.filter(({ id: own, params }) => own === id || params?.['progressToken'] === id);
        expect(about).toEqual([
          ...Array.from({ length: count }, (_, index) => ({
            jsonrpc: '2.0',
            method: 'notifications/progress',
            params: { progressToken: id, progress: index + 1, total: count },
          })),
          { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: `sent ${count}` }] } },
        ]);
      }
    }
  });

  verifies('host:call:cancel-stdio', 'each cancel their own call, even with the same id', async () => {
    const { first, attached } = await two('says-anything');
    first.send(callOf(7, 'one__say', { lines: [], answers: false }));
    attached.send(callOf(7, 'say', { lines: [], answers: false }));
    await expect
      .poll(
        async () =>
          (await receivedParams(attached, 'tools/call')).filter((params) => Object(params).name === 'say').length,
      )
      .toBe(2);
    attached.send({ method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough' } });
    await expect
      .poll(() => receivedParams(attached, 'notifications/cancelled'))
      .toEqual([{ requestId: expect.any(Number), reason: 'enough' }]);
    first.send({ method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough too' } });
    await expect
      .poll(() => receivedParams(attached, 'notifications/cancelled'))
      .toEqual([
        { requestId: expect.any(Number), reason: 'enough' },
        { requestId: expect.any(Number), reason: 'enough too' },
      ]);
    const cancelled = await receivedParams(attached, 'notifications/cancelled');
    expect(new Set(cancelled.map((params) => Object(params).requestId)).size).toBe(2);
  });

  test('a call of a disconnected client is cancelled at the server', async () => {
    const { first, attached, running } = await two('answers-after-cancel');
    attached.send(callOf(7, 'wait', {}));
    await attached.call('echo', { text: 'it is under way' });
    attached.leave();
    const other = await attach(running, 'one');
    const cancelled = async () => (await other.call('cancelled')).result.content[0].text;
    await expect.poll(cancelled, { timeout: 30_000 }).toBe('1');
    expect((await first.call('one__cancelled')).result.content[0].text).toBe('1');
    expect(notifications(first)).toEqual([]);
  });

  test('get only the server logs of their own calls, unchanged', async () => {
    const { first, attached } = await two('offers-everything');
    await attached.call('log', { level: 'info', logger: 'db', data: 'for the attached' });
    await first.call('one__log', { level: 'info', logger: 'db', data: 'for the first' });
    await attached.request('ping');
    const log = (logger: string, data: string) => ({
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { level: 'info', logger, data },
    });
    expect(notifications(attached)).toEqual([log('db', 'for the attached')]);
    expect(notifications(first)).toEqual([log('one/db', 'for the first')]);
  });

  test('an event that names a request reaches the client of that request, under its own id', async () => {
    const { first, attached } = await two('says-anything');
    const event = { method: 'codex/event', params: { _meta: { requestId: '$id' }, msg: { type: 'task_started' } } };
    first.send(callOf(70, 'one__say', { lines: [], answers: false }));
    attached.send(callOf(70, 'say', lines(event)));
    await attached.answer(70);
    expect(notifications(attached).map(({ params }) => params)).toEqual([
      { _meta: { requestId: 70 }, msg: { type: 'task_started' } },
    ]);
    expect(notifications(first)).toEqual([]);
  });

  test('the attached client gets messages only from its server', async () => {
    const { first, attached } = await two('well-behaved', {
      others: { two: fixture('offers-everything'), three: fixture('changes-its-list') },
    });
    await first.call('two__log', { level: 'error', data: 'of another server' });
    await first.call('three__grow');
    await first.waitFor(({ method }) => method === 'notifications/tools/list_changed');
    await attached.call('echo', { text: 'x' });
    expect(notifications(attached)).toEqual([]);
    const listed = await attached.request('tools/list');
    expect(listed.result.tools.map(({ name }: { name: string }) => name)).toEqual(['echo', 'add', 'slow']);
  });

  test('both are notified when the list of their server changes', async () => {
    const { first, attached } = await two('changes-its-list');
    await first.call('one__grow');
    const isChange = ({ method }: Message) => method === 'notifications/tools/list_changed';
    await first.waitFor(isChange);
    await attached.waitFor(isChange);
  });
});
