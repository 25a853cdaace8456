import { describe, expect, test } from 'vitest';
import type { HttpFixtureName } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import type { Message } from '../gateway/harness.ts';
import { statusOf } from '../gateway/server-status.ts';
import { at, httpHarness, textOf } from './harness.ts';

const { openGateway, openFixture } = httpHarness();
/** The reason why the outcome of a call is unknown. */
const CUT = { reason: 'CONNECTION_CLOSED' };
const DATA = { kind: 'server_error', retryable: true, toolName: 'far__echo', serverName: 'far' };

interface Bad {
  readonly server: readonly [HttpFixtureName, ...string[]];
  readonly code: number;
  readonly message: string | RegExp;
  readonly data?: object;
}

/** A server that initializes correctly but responds to calls incorrectly. HOST stands for its address. */
const atCalls: readonly Bad[] = [
  {
    server: ['answers-html', '--at', 'tools/call'],
    code: 1012,
    message: 'Server error: HOST answered tools/call with text/html ("Welcome"): is this the URL of an MCP server?',
  },
  {
    server: ['answers-202-to-request'],
    code: 1012,
    message: 'Server error: HOST answered tools/call with HTTP 202 without content: is this the URL of an MCP server?',
  },
  {
    server: ['answers-with-wrong-id'],
    code: 1012,
    message: 'Server error: HOST answered tools/call with something other than its response.',
  },
  {
    server: ['answers-with-wrong-id', '--as', 'none'],
    code: 1012,
    message: 'Server error: tools/call: the server sent a response without an id.',
  },
  {
    server: ['gzip-unasked', '--mib', '65'],
    code: 1013,
    message: /HOST answered tools\/call with more than the limit of 67108864 bytes\./,
    data: { ...DATA, retryable: false, original: { maxBytes: 67_108_864 } },
  },
  {
    server: ['bad-content-type'],
    code: 1012,
    message:
      /^Server error: HOST answered tools\/call with text\/plain \("\{"jsonrpc".*"\): is this the URL of an MCP server\?$/,
  },
  {
    server: ['bad-content-type', '--type', 'none'],
    code: 1012,
    message:
      /^Server error: HOST answered tools\/call with HTTP 200 without a content type \("\{"jsonrpc".*"\): is this .*\?$/,
  },
  // A reset may overtake data that was sent before it.
  {
    server: ['cuts-mid-json'],
    code: 1104,
    message:
      /^Server error: HOST(: read ECONNRESET\.| ended its response to tools\/call early\.) The server may have done/,
    data: { ...DATA, retryable: false, original: CUT },
  },
  {
    server: ['cuts-mid-event'],
    code: 1104,
    message:
      /^Server error: HOST(: read ECONNRESET\.| ended its response to tools\/call early\.) The server may have done/,
    data: { ...DATA, retryable: false, original: CUT },
  },
  {
    server: ['cuts-mid-event', '--id', 'a-place'],
    code: 1104,
    message:
      /^Server error: HOST(: read ECONNRESET\.| ended its response (to tools\/call )?early\.) The server may have done/,
    data: { ...DATA, retryable: false, original: CUT },
  },
  {
    server: ['answers-500', '--at', 'tools/call'],
    code: 1074,
    message: 'Server error: far is down: HOST answered HTTP 500 Internal Server Error. Run: switchboard mcp test far',
    data: { ...DATA, original: { status: 500 } },
  },
  {
    server: ['answers-503', '--at', 'tools/call', '--times', '9', '--seconds', '120'],
    code: 1074,
    message:
      'Server error: far is down: HOST answered HTTP 503 Service Unavailable. Retry-After: 120. Run: switchboard mcp test far',
    data: { ...DATA, original: { status: 503 } },
  },
];

describe('a server that responds to calls incorrectly', () => {
  test.each(atCalls.map((bad) => [bad.server.join(' '), bad] as const))(
    '%s: the caller gets the reason, and everything else continues',
    async (_, { server: [name, ...options], code, message, data = { ...DATA, retryable: code !== 1012 } }) => {
      const server = await openFixture(name, ...options);
      const { connect, gateway } = openGateway({ far: at(server.url), near: fixture('well-behaved') });
      const client = await connect();
      for (const answer of [await client.call('far__echo', { text: 'a' }), await client.call('far__echo')]) {
        expect(reportFor(answer, server.url)).toEqual({
          code,
          message: message instanceof RegExp ? expect.stringMatching(message) : message,
          data,
        });
      }
      expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
      expect(statusOf(gateway, 'far')).toMatchObject({ state: 'ready', tools: 8 });
    },
  );

  test('a response with its id as a string is accepted', async () => {
    const server = await openFixture('answers-with-wrong-id', '--as', 'text');
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
  });

  test.each(['Application/JSON; charset=utf-8', 'application/json;charset=utf-8', 'APPLICATION/JSON'])(
    'a response with content type %s is accepted',
    async (type) => {
      const server = await openFixture('bad-content-type', '--type', type);
      const client = await openGateway({ far: at(server.url) }).connect();
      expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    },
  );

  test('a different session id in a response is ignored', async () => {
    const server = await openFixture('changes-session-id');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    for (const text of ['a', 'b', 'c']) expect(textOf(await client.call('far__echo', { text }))).toBe(text);
    const [session] = (await server.control('/_sessions')) as string[];
    const calls = (await server.requests()).filter(({ body }) => body.includes('tools/call'));
    expect(calls.map(({ headers }) => headers['mcp-session-id'])).toEqual([session, session, session]);
    expect(statusOf(gateway, 'far').restarts).toBeUndefined();
  });

  test('a server that was only busy is called again by the next call', async () => {
    const server = await openFixture('answers-503', '--at', 'tools/call', '--times', '1');
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo', { text: 'a' })).error?.code).toBe(1074);
    expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
  });
});

/** Misbehaves from its first response on. */
const atOnce: readonly Bad[] = [
  {
    server: ['answers-html'],
    code: 1044,
    message:
      'Server error: far is down: it did not become ready: HOST answered initialize with text/html ("Welcome"): is this the URL of an MCP server? Run: switchboard mcp test far',
    data: { ...DATA, original: {} },
  },
  {
    server: ['answers-500'],
    code: 1074,
    message: 'Server error: far is down: HOST answered HTTP 500 Internal Server Error. Run: switchboard mcp test far',
    data: { ...DATA, original: { status: 500 } },
  },
  {
    server: ['answers-503', '--times', '1000'],
    code: 1074,
    message:
      'Server error: far is down: HOST answered HTTP 503 Service Unavailable. Retry-After: 1. Run: switchboard mcp test far',
    data: { ...DATA, original: { status: 503 } },
  },
  {
    server: ['answers-202-to-request', '--at', 'initialize'],
    code: 1044,
    message:
      'Server error: far is down: it did not become ready: HOST answered initialize with HTTP 202 without content: is this the URL of an MCP server? Run: switchboard mcp test far',
    data: { ...DATA, original: {} },
  },
  {
    server: ['answers-with-wrong-id', '--at', 'initialize'],
    code: 1044,
    message:
      'Server error: far is down: it did not become ready: HOST answered initialize with something other than its response. Run: switchboard mcp test far',
    data: { ...DATA, original: {} },
  },
  {
    server: ['cuts-mid-json', '--at', 'initialize'],
    code: 1024,
    message: /^Server error: HOST(: read ECONNRESET| ended its response to initialize early\.)$/,
  },
];

describe('a server that fails from the first response on', () => {
  test.each(atOnce.map((bad) => [bad.server.join(' '), bad] as const))(
    '%s: it is down with the reason, and others are not affected',
    async (_, { server: [name, ...options], code, message, data = { ...DATA, retryable: code !== 1012 } }) => {
      const server = await openFixture(name, ...options);
      const log: string[] = [];
      const { connect, gateway } = openGateway({ far: at(server.url), near: fixture('well-behaved') }, { log });
      const client = await connect();
      expect(reportFor(await client.call('far__echo', { text: 'a' }), server.url)).toEqual({
        code,
        message: message instanceof RegExp ? expect.stringMatching(message) : message,
        data,
      });
      expect(await client.toolNames()).toEqual(['near__echo', 'near__add', 'near__slow']);
      expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
      const { state, reason = '', next } = statusOf(gateway, 'far');
      expect({ state: state === 'ready', isSaid: reason !== '', next }).toEqual({
        state: false,
        isSaid: true,
        next: 'switchboard mcp test far',
      });
      // No terminal control sequences reach the output.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
      expect(`${reason}${log.join('')}${client.lines.join('')}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    },
  );
});

function reportFor({ error }: Message, url: string): unknown {
  const { host } = new URL(url);
  return error && { ...error, message: error.message.replaceAll(host, 'HOST') };
}
