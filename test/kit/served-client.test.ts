import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createServer, type RequestId, type ServedClient } from '../../src/kit/index.ts';
import { createTestClient } from '../../src/kit/testing.ts';
import { openRawClient } from './raw-client.ts';

const question = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
const form = z.object({ name: z.string() });
const eras = ['legacy', 'modern'] as const;

/** A server that records who called it, and under which id. */
function createClientRecorder() {
  const visits: { client: ServedClient; requestId: RequestId }[] = [];
  const server = createServer({ name: 'test', version: '1.0.0' }).tool(
    'visit',
    { description: '' },
    (_, { client, requestId }) => {
      visits.push({ client, requestId });
      return 'seen';
    },
  );
  const last = () => {
    const visit = visits.at(-1);
    if (visit === undefined) throw new Error('Nobody has called.');
    return visit.client;
  };
  return { server, visits, last };
}

describe('a client that cannot be prompted outside of its calls', () => {
  test('because it declared nothing, gets no elicitation', async () => {
    const { server, last } = createClientRecorder();
    const client = await createTestClient(server);
    await client.callTool('visit');
    expect(last().canBeAsked).toBe(false);
    await expect(last().ask(question, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'CAPABILITY_MISSING',
      message: expect.stringContaining('did not declare elicitation'),
      data: { requiredCapabilities: { elicitation: {} } },
    });
    await client.close();
  });

  test('because it is modern, gets no elicitation, and the error recommends elicit()', async () => {
    const { server, last } = createClientRecorder();
    const client = await createTestClient(server, { era: 'modern', onElicit: () => ({ action: 'accept' }) });
    await client.callTool('visit');
    expect(last().canBeAsked).toBe(false);
    await expect(last().ask(question, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'CAPABILITY_MISSING',
      message: expect.stringContaining('use context.elicit()'),
    });
    await client.close();
  });

  test('because it supports only URLs, gets no elicitation', async () => {
    const { server, last } = createClientRecorder();
    const client = openRawClient(server);
    await client.request('initialize', { capabilities: { elicitation: { url: {} } } });
    await client.request('tools/call', { name: 'visit' });
    expect(last().canBeAsked).toBe(false);
    await client.close();
  });
});

describe('an elicitation outside of any call', () => {
  test('is answered, and the answer is returned unchanged', async () => {
    const { server, last } = createClientRecorder();
    const asked: unknown[] = [];
    const answer = { action: 'approved', content: { odd: [1] } };
    const onElicit = (params: unknown) => {
      asked.push(params);
      return answer;
    };
    const client = await createTestClient(server, { onElicit });
    await client.callTool('visit');
    expect(last().canBeAsked).toBe(true);
    expect(await last().ask({ ...question, 'x-more': 1 }, { timeoutMs: 1000 })).toEqual(answer);
    expect(asked).toEqual([{ ...question, 'x-more': 1 }]);
    await client.close();
  });

  test('times out, and the client gets a cancellation', async () => {
    const { server, last } = createClientRecorder();
    const client = openRawClient(server);
    await client.request('initialize', { capabilities: { elicitation: {} } });
    await client.request('tools/call', { name: 'visit' });
    await expect(last().ask(question, { timeoutMs: 20 })).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await expect
      .poll(() => client.notifications.map(({ method }) => method))
      .toEqual(['elicitation/create', 'notifications/cancelled']);
    await client.close();
  });

  test('ends with its signal, and is not sent if that is already aborted', async () => {
    const { server, last } = createClientRecorder();
    const client = openRawClient(server);
    await client.request('initialize', { capabilities: { elicitation: {} } });
    await client.request('tools/call', { name: 'visit' });
    const stop = new AbortController();
    const asking = last().ask(question, { timeoutMs: 5000, signal: stop.signal });
    await expect.poll(() => client.notifications).toHaveLength(1);
    stop.abort();
    await expect(asking).rejects.toMatchObject({ code: 'CANCELLED' });
    const again = last().ask(question, { timeoutMs: 5000, signal: stop.signal });
    await expect(again).rejects.toMatchObject({ code: 'CANCELLED' });
    await client.request('ping');
    expect(client.notifications.filter(({ id }) => id !== undefined)).toHaveLength(1);
    await client.close();
  });

  test('that the client answers with an error is rejected', async () => {
    const { server, last } = createClientRecorder();
    const onElicit = () => {
      throw new Error('no screen');
    };
    const client = await createTestClient(server, { onElicit });
    await client.callTool('visit');
    await expect(last().ask(question, { timeoutMs: 1000 })).rejects.toMatchObject({ code: 'REQUEST_FAILED' });
    await client.close();
  });

  test('ends when the client disconnects, and none can be sent afterward', async () => {
    const { server, last } = createClientRecorder();
    const client = await createTestClient(server, { onElicit: () => new Promise(() => {}) });
    await client.callTool('visit');
    const outcome = last()
      .ask(question, { timeoutMs: 5000 })
      .catch((error) => error.code);
    const { left } = last();
    expect(left.aborted).toBe(false);
    await client.close();
    expect(await outcome).toBe('CONNECTION_CLOSED');
    expect([left.aborted, left.reason.code, last().left.aborted, last().canBeAsked]).toEqual([
      true,
      'CONNECTION_CLOSED',
      true,
      false,
    ]);
    await expect(last().ask(question, { timeoutMs: 5000 })).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    expect(() => last().notify('any/thing', {})).not.toThrow();
  });

  test('a signal first read after the client has disconnected is aborted', async () => {
    const { server, last } = createClientRecorder();
    const client = await createTestClient(server);
    await client.callTool('visit');
    await client.close();
    expect([last().left.aborted, last().left.reason.code]).toEqual([true, 'CONNECTION_CLOSED']);
  });
});

describe.each(eras)('in the %s era', (era) => {
  test('all calls of a connection share one client object, and two connections have two', async () => {
    const { server, visits } = createClientRecorder();
    const [one, two] = [await createTestClient(server, { era }), await createTestClient(server, { era })];
    await one.callTool('visit');
    await one.callTool('visit');
    await two.callTool('visit');
    const [first, again, other] = visits;
    expect([first?.client === again?.client, first?.client === other?.client]).toEqual([true, false]);
    expect(new Set([first?.requestId, again?.requestId]).size).toBe(2);
    await one.close();
    expect([first?.client.left.aborted, other?.client.left.aborted]).toEqual([true, false]);
    await two.close();
  });

  test('a client exposes its info', async () => {
    const { server, last } = createClientRecorder();
    const clientInfo = { name: 'codex-mcp-client', version: '0.166.0', title: 'Codex' };
    const client = await createTestClient(server, { era, clientInfo });
    await client.callTool('visit');
    expect(last().info).toEqual(clientInfo);
    await client.close();
  });

  test('a client receives any notification', async () => {
    const { server, last } = createClientRecorder();
    const received: unknown[] = [];
    const client = await createTestClient(server, { era, onNotification: (...messages) => received.push(messages) });
    await client.callTool('visit');
    last().notify('codex/event', { msg: { type: 'task_started' } });
    await client.listTools();
    expect(received).toEqual([['codex/event', { msg: { type: 'task_started' } }]]);
    await client.close();
  });

  test('elicit() times out, and the tool continues', async () => {
    const gaveUp = new AbortController();
    const server = createServer({ name: 'test', version: '1.0.0' }).tool('ask', { description: '' }, (_, context) =>
      context.elicit({ message: '?', schema: form }, { timeoutMs: 20 }).then(
        ({ action }) => action,
        (error) => {
          gaveUp.abort();
          return `${error.code}, aborted: ${context.signal.aborted}`;
        },
      ),
    );
    // The answer is late: the tool has stopped waiting.
    const onElicit = async () => {
      await once(gaveUp.signal, 'abort');
      return { action: 'accept', content: { name: 'late' } };
    };
    const client = await createTestClient(server, { era, onElicit });
    expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'TIMED_OUT, aborted: false' }]);
    await client.close();
  });

  test('elicit() ends with its signal', async () => {
    const stop = new AbortController();
    const outcomes: unknown[] = [];
    const server = createServer({ name: 'test', version: '1.0.0' }).tool('ask', { description: '' }, async (_, ctx) => {
      const ask = () => ctx.elicit({ message: '?', schema: form }, { signal: stop.signal });
      outcomes.push(await ask().catch(({ code }) => code));
      outcomes.push(await ask().catch(({ code }) => code));
      return String(ctx.signal.aborted);
    });
    const onElicit = () => {
      stop.abort();
      return { action: 'accept', content: { name: 'late' } };
    };
    const client = await createTestClient(server, { era, onElicit });
    expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'false' }]);
    expect(outcomes).toEqual(['CANCELLED', 'CANCELLED']);
    await client.close();
  });

  test('elicit() within its timeout is answered', async () => {
    const server = createServer({ name: 'test', version: '1.0.0' }).tool('ask', { description: '' }, async (_, ctx) => {
      const options = { timeoutMs: 5000, signal: new AbortController().signal };
      const answer = await ctx.elicit({ message: '?', schema: form }, options);
      return answer.action === 'accept' ? answer.content.name : answer.action;
    });
    const onElicit = () => ({ action: 'accept', content: { name: 'Ada' } });
    const client = await createTestClient(server, { era, onElicit });
    expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: 'Ada' }]);
    await client.close();
  });
});

test.each([
  ['nothing', undefined, {}],
  ['a non-object', 'codex', {}],
  ['members that are not strings', { name: 5, version: '1', title: null }, { version: '1' }],
])('a client that says %s about itself has only valid info', async (_, clientInfo, info) => {
  const { server, last } = createClientRecorder();
  const client = openRawClient(server);
  await client.request('initialize', { clientInfo });
  await client.request('tools/call', { name: 'visit' });
  expect(last().info).toEqual(info);
  await client.close();
});

test('a call has the id of its request, and none if it was a notification', async () => {
  const { server, visits } = createClientRecorder();
  const client = openRawClient(server);
  client.send({ jsonrpc: '2.0', id: 'seven', method: 'tools/call', params: { name: 'visit' } });
  client.send({ jsonrpc: '2.0', id: 0, method: 'tools/call', params: { name: 'visit' } });
  client.notify('tools/call', { name: 'visit' });
  await client.request('ping');
  expect(visits.map(({ requestId }) => requestId)).toEqual(['seven', 0, '']);
  await client.close();
});

test('a client that probed the modern era and then initialized can be prompted', async () => {
  const { server, last } = createClientRecorder();
  const client = openRawClient(server);
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    'io.modelcontextprotocol/clientInfo': { name: 'prober', version: '1' },
  };
  await client.request('server/discover', { _meta: envelope });
  await client.request('initialize', { capabilities: { elicitation: {} }, clientInfo: { name: 'settled' } });
  await client.request('tools/call', { name: 'visit' });
  expect([last().canBeAsked, last().info]).toEqual([true, { name: 'settled' }]);
  await client.close();
});
