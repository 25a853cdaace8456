import { describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { answerBasics, at, headersOf, httpHarness, methodsOf, sendJson, textOf } from './harness.ts';

const { openGateway, openFixture, openServer } = httpHarness();
const CHANGED = 'notifications/tools/list_changed';

describe('server-initiated messages', () => {
  verifies('host:http:get', 'on a separate stream report a changed list, which is then requested', async () => {
    const server = await openFixture('well-behaved');
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(await client.toolNames()).not.toContain('far__grown-1');
    expect(textOf(await client.call('far__notify-me'))).toBe('grown-1');
    await client.waitFor(({ method }) => method === CHANGED);
    expect(await client.toolNames()).toContain('far__grown-1');
    expect(textOf(await client.call('far__grown-1'))).toBe('I am grown-1');
  });

  test('arrive again after their stream has ended, from the last event', async () => {
    const gets: (string | undefined)[] = [];
    const server = await openServer((came, response) => {
      if (came.method === 'GET') {
        gets.push(came.headers['last-event-id'] as string | undefined);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const note = JSON.stringify({ jsonrpc: '2.0', method: CHANGED });
        if (gets.length === 1) return response.end('id: place-1\nretry: 20\ndata: \n\n');
        return response.write(`id: place-${gets.length}\ndata: ${note}\n\n`);
      }
      return answerBasics(came, response);
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    await expect.poll(() => gets, { timeout: 30_000 }).toEqual([undefined, 'place-1']);
    await expect.poll(() => methodsOf(server.requests).filter((method) => method === 'tools/list').length).toBe(2);
  });

  test.each([
    [405, {}],
    [404, {}],
    [400, {}],
    [200, { 'content-type': 'text/html' }],
    [204, {}],
  ])('need no stream: a server that answers GET with %i %j works', async (status, headers) => {
    const server = await openServer((came, response) => {
      if (came.method === 'GET') return response.writeHead(status, headers).end();
      if (answerBasics(came, response)) return undefined;
      return sendJson(response, {
        jsonrpc: '2.0',
        id: came.message.id,
        result: { content: [{ type: 'text', text: 'a' }] },
      });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('a');
    expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  test('a server that never answers GET delays calls only briefly', async () => {
    const server = await openServer((came, response) => {
      if (came.method === 'GET') return undefined;
      if (answerBasics(came, response)) return undefined;
      return sendJson(response, {
        jsonrpc: '2.0',
        id: came.message.id,
        result: { content: [{ type: 'text', text: 'a' }] },
      });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('a');
  });
});

describe('a response whose stream breaks off', () => {
  test('is resumed from the last event, after the retry delay of the server', async () => {
    const server = await openFixture('well-behaved', '--answers', 'sse', '--retry', '300');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.call('far__echo', { text: 'a' });
    const before = performance.now();
    expect(textOf(await client.call('far__hang-up', { ms: 100 }))).toBe('fetched');
    // A lower bound, which no load can violate.
    expect(performance.now() - before).toBeGreaterThan(290);
    const resumed = (await server.requests()).filter(({ headers }) => headers['last-event-id'] !== undefined);
    expect(resumed.map(({ method }) => method)).toEqual(['GET']);
    expect(headersOf(resumed, 'last-event-id')[0]).toMatch(/^stream-\d+\.0$/);
  });

  test('repeatedly is still resumed, as long as there is progress', async () => {
    let pieces = 0;
    let callId: unknown;
    const event = (message: object) => `id: place-${++pieces}\nretry: 10\ndata: ${JSON.stringify(message)}\n\n`;
    const progress = () => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: callId, progress: pieces },
    });
    const server = await openServer((came, response) => {
      const isResumed = came.headers['last-event-id'] !== undefined;
      if (came.method === 'GET' && !isResumed) return response.writeHead(405).end();
      if (!isResumed && answerBasics(came, response)) return undefined;
      if (!isResumed) callId = came.message.id;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (pieces < 9) return response.end(event(progress()));
      return response.end(
        event({ jsonrpc: '2.0', id: callId, result: { content: [{ type: 'text', text: 'whole' }] } }),
      );
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('whole');
    const places = headersOf(server.requests, 'last-event-id').filter((place) => place !== undefined);
    expect(places).toEqual(Array.from({ length: 9 }, (_, index) => `place-${index + 1}`));
  });

  test('and never continues times out, with fewer and fewer retries', async () => {
    const server = await openServer((came, response) => {
      const isResumed = came.headers['last-event-id'] !== undefined;
      if (came.method === 'GET' && !isResumed) return response.writeHead(405).end();
      if (!isResumed && answerBasics(came, response)) return undefined;
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: place\nretry: 1\ndata: \n\n');
    });
    const client = await openGateway({ far: at(server.url, { requestTimeoutMs: 3_000 }) }).connect();
    const { error } = await client.call('far__echo');
    expect(error?.data).toMatchObject({ serverName: 'far', retryable: false });
    expect(error?.code).toBe(1008);
    expect(headersOf(server.requests, 'last-event-id').filter((place) => place !== undefined).length).toBeLessThan(5);
  });

  test('without an event id fails, and is not requested again', async () => {
    const server = await openServer((came, response) => {
      if (came.method === 'GET') return response.writeHead(405).end();
      if (answerBasics(came, response)) return undefined;
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n');
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    const { host } = new URL(server.url);
    expect((await client.call('far__echo')).error).toMatchObject({
      code: 1104,
      message: `Server error: ${host} ended its response to tools/call early. The server may have done this; check before repeating.`,
    });
    expect(methodsOf(server.requests).filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  test('after the response is not a failure', async () => {
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return undefined;
      const answer = { jsonrpc: '2.0', id: came.message.id, result: { content: [{ type: 'text', text: 'a' }] } };
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(answer)}\n\n`);
      return setTimeout(() => response.destroy(), 20);
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('a');
    expect(textOf(await client.call('far__echo'))).toBe('a');
  });
});

describe('a server request', () => {
  const answer = { result: { action: 'accept', content: { name: 'Ada' } } };

  test.each([
    ['on the stream of the call', 'well-behaved', 'sse'],
    ['on a stream in place of a JSON response', 'well-behaved', 'json'],
    ['of a stateless server', 'stateless', 'json'],
    ['of an HTTP+SSE server', 'legacy-sse', 'sse'],
    ['in the response of a modern server', 'modern', 'json'],
    ['in the response of a modern server, as an event', 'modern', 'sse'],
  ] as const)('%s reaches the client, and the response reaches the server', async (_, name, answers) => {
    const server = await openFixture(name, '--answers', answers);
    const client = await openGateway({ far: at(server.url) }).connect({ capabilities: { elicitation: {} } });
    client.onRequest = () => answer;
    expect(JSON.parse(textOf(await client.call('far__ask')))).toEqual(answer.result);
    const asked = client.received.filter(({ method }) => method === 'elicitation/create');
    expect(asked.map(({ params }) => params?.['message'])).toEqual(['Who are you?']);
  });

  test.each(['well-behaved', 'modern'] as const)(
    'of a call of %s reaches the client that made the call',
    async (name) => {
      const server = await openFixture(name);
      const { connect } = openGateway({ far: at(server.url) });
      const [one, two] = [
        await connect({ capabilities: { elicitation: {} } }),
        await connect({ capabilities: { elicitation: {} } }),
      ];
      one.onRequest = () => ({ result: { action: 'accept', content: { name: 'one' } } });
      two.onRequest = () => ({ result: { action: 'accept', content: { name: 'two' } } });
      const answers = await Promise.all([one.call('far__ask'), two.call('far__ask')]);
      expect(answers.map((each) => JSON.parse(textOf(each)).content.name)).toEqual(['one', 'two']);
    },
  );

  test('that waits for a user blocks no other call', async () => {
    const server = await openFixture('well-behaved');
    const client = await openGateway({ far: at(server.url) }).connect({ capabilities: { elicitation: {} } });
    const waits = client.call('far__ask');
    const { id } = await client.waitFor(({ method }) => method === 'elicitation/create');
    expect(textOf(await client.call('far__echo', { text: 'meanwhile' }))).toBe('meanwhile');
    client.send({ jsonrpc: '2.0', id, ...answer });
    expect(JSON.parse(textOf(await waits))).toEqual(answer.result);
  });
});

describe('progress', () => {
  test.each(['well-behaved', 'stateless', 'legacy-sse', 'modern'] as const)(
    'of a call of %s reaches the client before the response, under its own token',
    async (name) => {
      const server = await openFixture(name);
      const client = await openGateway({ far: at(server.url) }).connect();
      await client.call('far__slow', { ms: 40 }, { _meta: { progressToken: 'mine' } });
      const reported = client.received
        .slice(-5)
        .map(({ method, params, result }) => (method === undefined ? result.content[0].text : params));
      expect(reported).toEqual([
        ...[1, 2, 3, 4].map((progress) => ({ progressToken: 'mine', progress, total: 4 })),
        'slept 40 ms',
      ]);
    },
  );
});
