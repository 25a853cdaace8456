import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/host/index.ts';
import { fixture } from '../fixtures/paths.ts';
import { answerBasics, methodsOf, ofMethod, sendJson } from '../http/harness.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, linesOf, recorder, toolOf, WITHIN } from './host-harness.ts';

const { openHost, openFixture, openServer, newFolder } = hostHarness();

/** The same servers for an agent, over every transport. */
const ways = {
  stdio: async () => fixture('well-behaved'),
  'stdio of 2026': async () => fixture('refuses-initialize'),
  'http with sessions': async () => ({ url: (await openFixture('well-behaved')).url }),
  'http without sessions': async () => ({ url: (await openFixture('stateless')).url }),
  'http of 2026': async () => ({ url: (await openFixture('modern')).url }),
  'http with sse': async () => ({ url: (await openFixture('legacy-sse')).url }),
};

describe.each(Object.entries(ways))('over %s', (_way, open) => {
  verifies(
    ['host:adapter:plain', 'host:adapter:result', 'host:adapter:resolve'],
    'a tool runs like any other, and returns its result',
    async () => {
      const host = await openHost({ config: configOf({ one: await open() }) });
      const { name, description, parameters, run } = await toolOf(host, 'one', 'echo');
      expect({ description, parameters }).toEqual({
        description: '[MCP server "one", tool "echo"] Returns its text',
        parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      });
      expect(host.resolve(name)).toEqual({ server: 'one', tool: 'echo' });
      const reply = { content: [{ type: 'text', text: 'héllo' }], text: 'héllo', is_error: false };
      expect(await run({ text: 'héllo' })).toEqual(reply);
      expect(await host.run(name, { text: 'héllo' })).toEqual(reply);
    },
  );

  verifies('host:call:timeout', 'a timed-out call is an error, and the next one is answered', async () => {
    const host = await openHost({ config: configOf({ one: await open() }) });
    const slow = await toolOf(host, 'one', 'slow');
    const { is_error, text } = await slow.run({ ms: 60_000 }, { timeoutMs: 200 });
    expect({ is_error, text }).toEqual({
      is_error: true,
      text: expect.stringContaining('one did not answer tools/call within 200 ms.'),
    });
    expect(await call(host, 'one', 'echo', { text: 'well' })).toMatchObject({ is_error: false, text: 'well' });
  });

  test('an aborted call fails at once, and the next one is answered', async () => {
    const host = await openHost({ config: configOf({ one: await open() }) });
    const slow = await toolOf(host, 'one', 'slow');
    const stop = new AbortController();
    // Progress shows that the server is working.
    const message = await slow.run({ ms: 10_000 }, { signal: stop.signal, onProgress: () => stop.abort() });
    expect(message).toMatchObject({ is_error: true, text: expect.stringMatching(/cancelled/) });
    expect(await call(host, 'one', 'echo', { text: 'well' })).toMatchObject({ is_error: false, text: 'well' });
  });

  test('progress arrives in order', async () => {
    const host = await openHost({ config: configOf({ one: await open() }) });
    const progress: unknown[] = [];
    const slow = await toolOf(host, 'one', 'slow');
    await slow.run({ ms: 40 }, { onProgress: ({ progress: at }) => progress.push(at) });
    expect(progress).toEqual([1, 2, 3, 4]);
  });
});

describe('a call', () => {
  verifies('host:adapter:resolve', 'reaches its server under the original name, however unusual', async () => {
    const names = ['a b', 'a.b', 'a-b', 'ünï', '../../x', '__proto__', 'constructor', 'x'.repeat(200)];
    const host = await openHost({ config: configOf({ one: fixture('has-names', 'one', JSON.stringify(names)) }) });
    const tools = (await host.tools()).filter(({ origin }) => origin !== undefined);
    expect(new Set(tools.map(({ name }) => name)).size).toBe(names.length);
    const messages = await Promise.all(tools.map((tool) => tool.run({})));
    expect(messages.map(({ text }) => text)).toEqual(names.map((name) => `one has ${name}`));
    expect(tools.map(({ name }) => host.resolve(name)?.tool)).toEqual(names);
    expect(tools.filter(({ name }) => !/^mcp_[\w-]{1,60}$/.test(name))).toEqual([]);
  });

  test('of an unknown name is an error that names it', async () => {
    const host = await openHost({ config: configOf({ one: fixture('well-behaved') }) });
    for (const name of ['nope', '__proto__', 'mcp_one_echo_00000000']) {
      expect(await host.run(name, {})).toMatchObject({ is_error: true, text: expect.stringContaining(name) });
      expect(host.resolve(name)).toBeUndefined();
    }
  });

  test('with arguments that are not an object is never sent', async () => {
    const file = join(newFolder(), 'calls');
    const host = await openHost({ config: configOf({ one: recorder(file) }) });
    const echo = await toolOf(host, 'one', 'echo');
    for (const args of ['text', 5, false, ['a']]) expect(await echo.run(args)).toMatchObject({ is_error: true });
    expect(await echo.run({ text: 'the only one' })).toMatchObject({ is_error: false });
    // No arguments, and what models write instead of none.
    for (const args of [undefined, null]) expect(await echo.run(args)).toMatchObject({ is_error: false });
    expect(linesOf(file).map(({ args }) => args)).toEqual([{ text: 'the only one' }, {}, {}]);
  });

  verifies('host:adapter:result', 'keeps structured content', async () => {
    const host = await openHost({ config: configOf({ one: fixture('well-behaved') }) });
    expect(await call(host, 'one', 'add', { a: 1, b: 2 })).toEqual({
      content: [{ type: 'text', text: '3' }],
      text: '3',
      is_error: false,
      structured: { sum: 3 },
    });
  });

  verifies('host:adapter:tool-error', 'with an isError result is an error with the text of the server', async () => {
    const result = { content: [{ type: 'text', text: 'no such file: a.txt' }], isError: true };
    const far = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      sendJson(response, { jsonrpc: '2.0', id: came.message.id, result });
    });
    const host = await openHost({ config: configOf({ near: fixture('says-anything'), far: { url: far.url } }) });
    const line = `{"jsonrpc":"2.0","id":"$id","result":${JSON.stringify(result)}}`;
    const messages = [
      await call(host, 'near', 'say', { lines: [line], answers: false }),
      await call(host, 'far', 'echo'),
    ];
    const expected = { content: result.content, text: 'no such file: a.txt', is_error: true };
    expect(messages).toEqual([expected, expected]);
  });

  test('that its server rejects is an error with the message of the server', async () => {
    const host = await openHost({ config: configOf({ one: fixture('says-anything') }) });
    const lines = ['{"jsonrpc":"2.0","id":"$id","error":{"code":-32602,"message":"text is missing"}}'];
    const message = await call(host, 'one', 'say', { lines, answers: false });
    expect(message).toMatchObject({ is_error: true, text: expect.stringContaining('text is missing') });
  });
});

describe('a cancelled run', () => {
  verifies('host:call:cancel-stdio', 'cancels each of its calls at the server over stdio', async () => {
    const file = join(newFolder(), 'calls');
    const host = await openHost({ config: configOf({ one: recorder(file) }) });
    const stop = new AbortController();
    const runs = await runTwice(host, 'wait', {}, stop.signal);
    await expect.poll(() => linesOf(file).length, WITHIN).toBe(2);
    stop.abort();
    expect(await Promise.all(runs)).toMatchObject([{ is_error: true }, { is_error: true }]);
    await expect.poll(() => linesOf(file).length, WITHIN).toBe(4);
    const ids = linesOf(file).map(({ id, cancelled }) => id ?? cancelled);
    expect(ids.slice(2).sort()).toEqual(ids.slice(0, 2).sort());
    // A finished call causes no more notifications.
    expect(await call(host, 'one', 'echo', { text: 'well' })).toMatchObject({ text: 'well' });
    expect(linesOf(file)).toHaveLength(5);
  });

  verifies('host:call:cancel-http', 'cancels each of its calls at the server over HTTP', async () => {
    const server = await openFixture('well-behaved');
    const host = await openHost({ config: configOf({ one: { url: server.url } }) });
    const stop = new AbortController();
    const runs = await runTwice(host, 'slow', { ms: 60_000 }, stop.signal);
    const sent = async (method: string) =>
      ofMethod(await server.requests(), method).map(({ body }) => JSON.parse(body));
    await expect.poll(async () => (await sent('tools/call')).length, WITHIN).toBe(2);
    stop.abort();
    expect(await Promise.all(runs)).toMatchObject([{ is_error: true }, { is_error: true }]);
    await expect.poll(async () => (await sent('notifications/cancelled')).length, WITHIN).toBe(2);
    const ids = (await sent('tools/call')).map(({ id }) => id);
    const cancelled = (await sent('notifications/cancelled')).map(({ params }) => params.requestId);
    expect(cancelled.sort()).toEqual(ids.sort());
  });

  test('that was cancelled before it began calls no server', async () => {
    const file = join(newFolder(), 'calls');
    const host = await openHost({ config: configOf({ one: recorder(file) }) });
    const echo = await toolOf(host, 'one', 'echo');
    expect(await echo.run({ text: 'never' }, { signal: AbortSignal.abort() })).toMatchObject({ is_error: true });
    expect(await echo.run({ text: 'once' })).toMatchObject({ text: 'once' });
    expect(linesOf(file)).toMatchObject([{ call: 'echo', args: { text: 'once' } }]);
  });
});

describe('a late response', () => {
  verifies('host:call:late-answer', 'after a cancellation or a timeout has no effect over stdio', async () => {
    const host = await openHost({ config: configOf({ one: fixture('answers-after-cancel') }) });
    const wait = await toolOf(host, 'one', 'wait');
    expect(await wait.run({}, { timeoutMs: 100 })).toMatchObject({ is_error: true });
    expect(await wait.run({}, { signal: AbortSignal.timeout(100) })).toMatchObject({ is_error: true });
    await expect.poll(async () => (await call(host, 'one', 'cancelled')).text, WITHIN).toBe('2');
    expect(await call(host, 'one', 'echo', { text: 'well' })).toMatchObject({ is_error: false, text: 'well' });
    expect(host.list()).toMatchObject([{ state: 'ready', underWay: 0 }]);
  });

  verifies('host:call:late-answer', 'after a cancellation has no effect over HTTP', async () => {
    const stop = new AbortController();
    let answerLate = () => {};
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      const answer = (text: string) =>
        sendJson(response, { jsonrpc: '2.0', id: came.message.id, result: { content: [{ type: 'text', text }] } });
      if (!came.body.includes('slowly')) return answer('in time');
      answerLate = () => answer('too late');
      stop.abort();
    });
    const host = await openHost({ config: configOf({ one: { url: server.url } }) });
    const echo = await toolOf(host, 'one', 'echo');
    const message = await echo.run({ text: 'slowly' }, { signal: stop.signal });
    answerLate();
    expect(message).toMatchObject({ is_error: true });
    expect(await echo.run({ text: 'now' })).toMatchObject({ is_error: false, text: 'in time' });
    expect(methodsOf(server.requests).filter((method) => method === 'tools/call')).toHaveLength(2);
  });
});

verifies('host:call:logged', 'the debug log shows requests, timeouts and cancellations', async () => {
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const host = await openHost({ config: configOf({ one: fixture('hangs-at-call') }), log, logLevel: 'debug' });
  await call(host, 'one', 'echo', { text: 'a' });
  const hang = await toolOf(host, 'one', 'hang');
  await hang.run({}, { timeoutMs: 100 });
  await hang.run({}, { signal: AbortSignal.timeout(100) });
  const countLines = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  expect([
    countLines(/one: sent tools\/call: .*"echo"/),
    countLines(/one: sent tools\/call: .*"hang"/),
    countLines(/one: tools\/call timed out/),
    countLines(/one: tools\/call was cancelled/),
  ]).toEqual([1, 2, 1, 1]);
  expect(lines.filter((line) => !/^\[switchboard\] /.test(line))).toEqual([]);
});

async function runTwice(host: Host, tool: string, args: unknown, signal: AbortSignal) {
  const found = await toolOf(host, 'one', tool);
  return [found.run(args, { signal }), found.run(args, { signal })];
}
