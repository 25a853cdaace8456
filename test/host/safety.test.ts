import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { answerBasics, sendJson } from '../http/harness.ts';
import { officialServer } from '../interop/programs.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, ownServer, WITHIN } from './host-harness.ts';

const { openHost, openFixture, openServer, processes } = hostHarness();

describe('a result over the limit', () => {
  verifies('host:safety:payload-limit', 'is truncated, and says what was omitted and where to read it', async () => {
    const server = await openFixture('well-behaved');
    const host = await openHost({ config: configOf({ far: { url: server.url }, near: fixture('huge-line') }) });
    const messages = [await call(host, 'far', 'big', { kib: 200 }), await call(host, 'near', 'huge', { mib: 2 })];
    for (const [index, { text, is_error, reference = '', content }] of messages.entries()) {
      const total = index === 0 ? 200 * 1024 : 2 * 1024 * 1024;
      expect({ is_error, isCut: Buffer.byteLength(text) < 50 * 1024, parts: content.length }).toEqual({
        is_error: false,
        isCut: true,
        parts: 1,
      });
      expect(text).toMatch(new RegExp(`bytes left out here; read the rest with mcp_result_read .*${reference}`));
      expect(host.readResult(reference)).toMatchObject({ total });
      let whole = '';
      while (whole.length < total) whole += host.readResult(reference, { offset: whole.length }).text;
      expect(whole === 'x'.repeat(total)).toBe(true);
      const rest = await host.run('mcp_result_read', { reference, offset: total - 10 });
      expect(rest).toMatchObject({ is_error: false, text: expect.stringContaining('x'.repeat(10)) });
    }
  });

  test('is truncated at the limit that the application sets', async () => {
    const host = await openHost({ config: configOf({ near: fixture('huge-line') }), maxResultBytes: 1000 });
    const { text, reference } = await call(host, 'near', 'huge', { mib: 1 });
    expect(Buffer.byteLength(text)).toBeLessThan(1300);
    expect(reference).toMatch(/^result-1-/);
    expect(() => host.readResult('result-9-00000000')).toThrow(/No result is stored/);
  });

  test('by far is an error or truncated, and the server keeps running', async () => {
    const host = await openHost({ config: configOf({ near: fixture('huge-line') }) });
    const { text } = await call(host, 'near', 'huge', { mib: 50 });
    expect(Buffer.byteLength(text)).toBeLessThan(50 * 1024);
    await expect.poll(async () => (await call(host, 'near', 'echo', { text: 'well' })).text, WITHIN).toBe('well');
  });

  test('of an image with too many pixels is omitted', async () => {
    // 30000 × 30000 pixels in a few bytes.
    const png = Buffer.from('89504e470d0a1a0a0000000d494844520000753000007530080600000000000000', 'hex').toString(
      'base64',
    );
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      const content = [{ type: 'image', mimeType: 'image/png', data: png }];
      sendJson(response, { jsonrpc: '2.0', id: came.message.id, result: { content } });
    });
    const host = await openHost({ config: configOf({ far: { url: server.url } }) });
    const { content, text } = await call(host, 'far', 'echo');
    expect(content.map(({ type }) => type)).toEqual(['text', 'text']);
    expect(text).toMatch(/30000 × 30000 pixels are too many/);
  });
});

describe('secrets', () => {
  const TOKEN = 'sk-correct-horse-battery-staple';

  verifies('host:safety:secrets-masked', 'of a stdio server are redacted in logs, errors and listings', async () => {
    const lines: string[] = [];
    const entry = { ...ownServer('leaks-its-secret'), env: { API_TOKEN: TOKEN } };
    const config = configOf({ one: entry });
    const host = await openHost({ config, log: (line) => void lines.push(line), logLevel: 'debug' });
    const messages = [await call(host, 'one', 'tell'), await call(host, 'one', 'die')];
    await expect.poll(() => host.list()[0]?.state, WITHIN).toBe('ready');
    const reported = { messages, list: host.list(), detail: host.get('one'), lines, problems: host.problems };
    expect(lines.some((line) => line.includes('my token is'))).toBe(true);
    expect(messages).toMatchObject([{ is_error: true }, { is_error: true }]);
    expect(placesOf(reported, TOKEN)).toEqual([]);
  });

  verifies('host:safety:secrets-masked', 'of an http server are redacted in logs, errors and listings', async () => {
    const lines: string[] = [];
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      const error = { code: -32001, message: `not for ${came.headers.authorization}` };
      sendJson(response, { jsonrpc: '2.0', id: came.message.id, error });
    });
    const headers = { Authorization: `Bearer ${TOKEN}`, 'X-Api-Key': `${TOKEN}-2` };
    const oauth = { client_id: 'me', client_secret: `${TOKEN}-3` };
    const config = configOf({
      one: { url: server.url, headers },
      other: { url: `${server.url}?key=${TOKEN}-4`, oauth },
    });
    const host = await openHost({ config, log: (line) => void lines.push(line), logLevel: 'debug' });
    const messages = [await call(host, 'one', 'echo')];
    expect(server.requests.some((came) => came.headers.authorization === headers.Authorization)).toBe(true);
    const details = host.list().map(({ id }) => host.get(id));
    const reported = { messages, list: host.list(), details, lines, problems: host.problems };
    expect(placesOf(reported, TOKEN)).toEqual([]);
  });

  test('in the environment do not reach a server that was not given them', async () => {
    const everything = {
      ...officialServer('everything', 'stdio'),
      env: { GIVEN: 'by its entry' },
      env_vars: ['NAMED_TOKEN'],
    };
    vi.stubEnv('SECRET_OF_THE_PROCESS', TOKEN);
    try {
      const env = processes.env({ SECRET_TOKEN: TOKEN, AWS_SECRET_ACCESS_KEY: TOKEN, NAMED_TOKEN: 'named' });
      const host = await openHost({ config: configOf({ every: everything }), env });
      const { text, is_error } = await call(host, 'every', 'get-env');
      expect({ is_error, leaks: text.includes(TOKEN) }).toEqual({ is_error: false, leaks: false });
      expect(JSON.parse(text)).toMatchObject({ GIVEN: 'by its entry', NAMED_TOKEN: 'named' });
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

test('five thousand tools are all listed under distinct names', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `t${index}`);
  const host = await openHost({ config: configOf({ one: fixture('has-names', 'one', JSON.stringify(names)) }) });
  const tools = (await host.tools()).filter(({ origin }) => origin !== undefined);
  expect(tools.map(({ origin }) => origin?.tool)).toEqual(names);
  expect(new Set(tools.map(({ name }) => name)).size).toBe(names.length);
  expect(await tools.at(-1)?.run({})).toMatchObject({ text: 'one has t4999' });
  expect(host.list()).toMatchObject([{ tools: 5_000 }]);
});

function placesOf(reported: Readonly<Record<string, unknown>>, secret: string): readonly string[] {
  return Object.entries(reported)
    .filter(([, value]) => JSON.stringify(value).includes(secret))
    .map(([place, value]) => `${place}: ${JSON.stringify(value).slice(0, 2000)}`);
}
