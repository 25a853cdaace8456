import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { openTestFront } from './front.ts';
import { type Event, headerLines, toolCall } from './raw-client.ts';

const LIST_CHANGED = 'notifications/tools/list_changed';
const addTool = (server: Awaited<ReturnType<typeof openTestFront>>['server'], name: string) =>
  server.tool(name, { description: 'New.' }, () => name);
/** The changes of one turn are announced together. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const ofMethod = (events: readonly Event[]) => events.map(({ message }) => message?.method ?? message?.result);

describe('the response of a call', () => {
  test('becomes an event stream with the first message before it', async () => {
    const { raw } = await openTestFront();
    const { headers } = await raw.initialize();
    const {
      status,
      headers: received,
      events,
    } = await raw.post(toolCall(5, 'count', {}, { progressToken: 'p' }), headers);
    expect(status).toBe(200);
    expect(received).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    expect(received['cache-control']).toContain('no-cache');
    expect(events.map(({ message }) => message)).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 1 } },
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 2 } },
      { method: 'notifications/progress', params: { progressToken: 'p', progress: 3 } },
      { method: 'notifications/message', params: { data: 'counted' } },
      { id: 5, result: { content: [{ type: 'text', text: 'done' }] } },
    ]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(5);
  });

  verifies(
    ['http:exchange:own'],
    'carries only the messages of its own call, even with the same ids and tokens',
    async () => {
      const { raw, steps } = await openTestFront();
      const [one, two] = [await raw.initialize(), await raw.initialize()];
      const call = JSON.stringify(toolCall(1, 'steps', {}, { progressToken: 1 }));
      const opened = [];
      for (const { headers } of [one, two, one]) {
        const response = raw.open({ headers, body: call });
        await expect.poll(() => steps.length).toBe(opened.length + 1);
        steps[opened.length]?.(100 + opened.length);
        opened.push(await response);
      }
      for (const [index, step] of steps.entries()) step(200 + index, true);
      for (const [index, response] of opened.entries()) {
        const events = [await response.next(), await response.next(), await response.next()];
        expect(events.map(({ message }) => message?.params?.['progress'] ?? message?.result?.['content'])).toEqual([
          100 + index,
          200 + index,
          [{ type: 'text', text: 'all steps done' }],
        ]);
        expect(await response.ended).toBe(true);
      }
    },
  );

  test('carries a question to the user, which the client answers with a POST of its own', async () => {
    const { raw } = await openTestFront();
    const { headers } = await raw.initialize({ capabilities: { elicitation: {} } });
    const response = await raw.open({ headers, body: JSON.stringify(toolCall(1, 'ask')) });
    const { message: question } = await response.next();
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who are you?' } });
    const answer = { jsonrpc: '2.0', id: question?.id, result: { action: 'accept', content: { name: 'Ada' } } };
    expect((await raw.post(answer, headers)).status).toBe(202);
    const { message: result } = await response.next();
    expect(result?.result).toEqual({ content: [{ type: 'text', text: 'You are {"name":"Ada"}.' }] });
  });

  test('goes to the stream of the server if the client does not accept events in the response', async () => {
    const { raw } = await openTestFront();
    const { headers } = await raw.initialize();
    const stream = await raw.open({ method: 'GET', headers });
    await stream.next();
    const call = toolCall(1, 'count', {}, { progressToken: 1 });
    const { message } = await raw.post(call, { ...headers, accept: 'application/json' });
    expect(message.result).toBeDefined();
    expect((await stream.next()).message?.params).toMatchObject({ progress: 1 });
  });

  test('is an event stream if the client accepts nothing else', async () => {
    const { raw } = await openTestFront();
    const { headers } = await raw.initialize();
    const { events } = await raw.post(toolCall(1, 'echo', { message: 'x' }), {
      ...headers,
      accept: 'text/event-stream',
    });
    expect(ofMethod(events)).toEqual([{ content: [{ type: 'text', text: 'x' }] }]);
  });

  test('begins with a sign of life if the call takes long, so that the client does not give up', async () => {
    const { raw, waiting } = await openTestFront({ limits: { heartbeatMs: 30 } });
    const { headers } = await raw.initialize();
    const response = await raw.open({ headers, body: JSON.stringify(toolCall(1, 'wait')) });
    expect(response.headers['content-type']).toBe('text/event-stream');
    const first = await response.next();
    expect(first).toEqual({ id: expect.any(String) });
    expect(await response.next()).toEqual({ isComment: true });
    waiting[0]?.finish('at last');
    let event = await response.next();
    while (event.isComment) event = await response.next();
    expect(event.message?.result).toEqual({ content: [{ type: 'text', text: 'at last' }] });
  });

  test('begins with a comment for older clients, which expect data in every event', async () => {
    const { raw } = await openTestFront({ limits: { heartbeatMs: 30 } });
    const { headers } = await raw.initialize({ version: '2025-06-18' });
    const response = await raw.open({ headers, body: JSON.stringify(toolCall(1, 'wait')) });
    expect(await response.next()).toEqual({ isComment: true });
  });
});

describe('the stream of the server', () => {
  test('carries messages that belong to no call, and stays alive', async () => {
    const { raw, server } = await openTestFront({ limits: { heartbeatMs: 20 } });
    const { headers } = await raw.initialize();
    const stream = await raw.open({ method: 'GET', headers });
    expect(stream.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
    addTool(server, 'new');
    const methods: (string | undefined)[] = [];
    while (!methods.includes(LIST_CHANGED)) methods.push((await stream.next()).message?.method);
    for (let beats = 0; beats < 3; beats++) expect(await stream.next()).toEqual({ isComment: true });
  });

  test('delivers messages that were sent while there was no stream', async () => {
    const { raw, server } = await openTestFront();
    const { headers } = await raw.initialize();
    addTool(server, 'early');
    await raw.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers);
    const stream = await raw.open({ method: 'GET', headers });
    expect(await stream.next()).toEqual({ id: expect.any(String) });
    expect((await stream.next()).message?.method).toBe(LIST_CHANGED);
  });

  verifies(
    ['http:resume:lossless'],
    'resumes after the last event that the client received, without loss or repetition',
    async () => {
      const { raw, server } = await openTestFront();
      const { headers } = await raw.initialize();
      const stream = await raw.open({ method: 'GET', headers });
      await stream.next();
      for (const name of ['a', 'b']) {
        addTool(server, name);
        await nextTurn();
      }
      const first = await stream.next();
      // The client received the second event, but lost it with the connection.
      await stream.next();
      stream.close();
      await stream.ended;
      addTool(server, 'c');
      await nextTurn();
      const resumed = await raw.open({ method: 'GET', headers: { ...headers, 'last-event-id': String(first.id) } });
      const [, ...events] = [await resumed.next(), await resumed.next(), await resumed.next()];
      expect(ofMethod(events)).toEqual([LIST_CHANGED, LIST_CHANGED]);
      addTool(server, 'd');
      const { id } = await resumed.next();
      expect(id).not.toBe(events[1]?.id);
    },
  );

  test.each(['', 'unknown-1', '../../etc-1', 'x'.repeat(3000)])(
    'begins anew after the unknown event %j',
    async (lastEventId) => {
      const { raw, server } = await openTestFront();
      const { headers } = await raw.initialize();
      const stream = await raw.open({ method: 'GET', headers: { ...headers, 'last-event-id': lastEventId } });
      await stream.next();
      addTool(server, 'new');
      expect((await stream.next()).message?.method).toBe(LIST_CHANGED);
    },
  );

  test('may be opened several times: each message goes to the newest one only, and the oldest of five ends', async () => {
    const { raw, server } = await openTestFront();
    const { headers } = await raw.initialize();
    const streams: Awaited<ReturnType<typeof raw.open>>[] = [];
    for (let count = 0; count < 5; count++) {
      const stream = await raw.open({ method: 'GET', headers });
      await stream.next();
      streams.push(stream);
    }
    expect(await streams[0]?.ended).toBe(true);
    addTool(server, 'a');
    expect((await streams[4]?.next())?.message?.method).toBe(LIST_CHANGED);
    streams[4]?.close();
    await streams[4]?.ended;
    let arrived: Event | undefined;
    void streams[3]?.next().then((event) => {
      arrived = event;
    });
    let added = 0;
    await expect
      .poll(() => {
        addTool(server, `b${++added}`);
        return arrived?.message?.method;
      })
      .toBe(LIST_CHANGED);
  });

  test('needs a client that accepts events: 406', async () => {
    const { raw } = await openTestFront();
    const { headers } = await raw.initialize();
    const response = await raw.send({ method: 'GET', headers: { ...headers, accept: 'application/json' } });
    expect(response).toMatchObject({
      status: 406,
      message: { error: { message: expect.stringContaining('event-stream') } },
    });
  });

  test('is cut off if the client does not read it', async () => {
    const { raw, front } = await openTestFront({ limits: { maxUnreadBytes: 100_000 } });
    const { headers } = await raw.initialize();
    const { socket, write } = await raw.connect();
    write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines(headers)}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    expect(front.counts.streams).toBe(1);
    const call = toolCall(1, 'count', {}, { progressToken: 'x'.repeat(100_000) });
    await expect
      .poll(async () => {
        await raw.post(call, { ...headers, accept: 'application/json' });
        return front.counts.streams;
      })
      .toBe(0);
    expect((await raw.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers)).status).toBe(200);
  });

  test('is cut off if the client reads nothing for a while', async () => {
    const { raw, front } = await openTestFront({ limits: { heartbeatMs: 20, stallTimeoutMs: 200 } });
    const { headers } = await raw.initialize();
    const { socket, write } = await raw.connect();
    write(`GET /mcp HTTP/1.1\r\nHost: localhost\r\n${headerLines(headers)}\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    const call = toolCall(1, 'count', {}, { progressToken: 'x'.repeat(1_000_000) });
    for (let count = 0; count < 8; count++) await raw.post(call, { ...headers, accept: 'application/json' });
    await expect.poll(() => front.counts.streams).toBe(0);
  });
});

describe('a response that the client has lost', () => {
  test('is continued by GET with the last event id, and ends with the result', async () => {
    const { raw, steps, front } = await openTestFront();
    const { headers } = await raw.initialize();
    const opening = raw.open({ headers, body: JSON.stringify(toolCall(1, 'steps', {}, { progressToken: 1 })) });
    await expect.poll(() => steps.length).toBe(1);
    steps[0]?.(1);
    const lost = await opening;
    const { id } = await lost.next();
    lost.close();
    await expect.poll(() => front.counts.requests).toBe(0);
    steps[0]?.(2);
    const resumed = await raw.open({ method: 'GET', headers: { ...headers, 'last-event-id': String(id) } });
    expect(await resumed.next()).toEqual({ id: expect.any(String) });
    expect((await resumed.next()).message?.params).toMatchObject({ progress: 2 });
    steps[0]?.(3, true);
    expect((await resumed.next()).message?.params).toMatchObject({ progress: 3 });
    expect((await resumed.next()).message).toMatchObject({ id: 1, result: {} });
    expect(await resumed.ended).toBe(true);
  });

  test('can be fetched after the call has finished', async () => {
    const { raw, steps, front } = await openTestFront();
    const { headers } = await raw.initialize();
    const opening = raw.open({ headers, body: JSON.stringify(toolCall(1, 'steps', {}, { progressToken: 1 })) });
    await expect.poll(() => steps.length).toBe(1);
    steps[0]?.(1);
    const lost = await opening;
    const { id } = await lost.next();
    lost.close();
    await expect.poll(() => front.counts.requests).toBe(0);
    steps[0]?.(2, true);
    const resumed = await raw.send({ method: 'GET', headers: { ...headers, 'last-event-id': String(id) } });
    expect(resumed.message).toMatchObject({ id: 1, result: {} });
  });

  test('is not continued in another session', async () => {
    const { raw, steps } = await openTestFront();
    const [one, two] = [await raw.initialize(), await raw.initialize()];
    const opening = raw.open({
      headers: one.headers,
      body: JSON.stringify(toolCall(1, 'steps', {}, { progressToken: 1 })),
    });
    await expect.poll(() => steps.length).toBe(1);
    steps[0]?.(1);
    const { id = '' } = await (await opening).next();
    const foreign = await raw.open({
      method: 'GET',
      headers: { ...two.headers, 'last-event-id': id.replace(/1$/, '0') },
    });
    // As for any stream that this session does not know: an error for the request that the event id names.
    const events = [await foreign.next(), await foreign.next()];
    expect(events.map(({ message }) => message)).toMatchObject([undefined, { id: 1, error: { code: 1104 } }]);
    steps[0]?.(2, true);
    await expect(foreign.next()).rejects.toThrow();
  });
});
