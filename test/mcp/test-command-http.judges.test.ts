import { afterEach, describe, expect, test } from 'vitest';
import { type HttpFixtureName, openHttpFixture } from '../fixtures/http/paths.ts';
import { openEverything } from '../interop/everything-over-http.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { configure, expectFailure, type Failure, testAsJson } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

describe('a working server over HTTP', () => {
  verifies('host:cli:test', 'passes every step: the official server', async () => {
    await using far = await openEverything(processes);
    const { status, report, error } = await testAsJson(configure(newTestbed(), { far: { url: far.url } }), 'far');
    expect([status, error]).toEqual([0, undefined]);
    expect(report).toMatchObject({
      ok: true,
      steps: [
        { name: 'connect', result: `${new URL(far.url).host} responds` },
        { name: 'sign-in', result: 'not required' },
        { name: 'initialize', result: 'MCP 2025-11-25, mcp-servers/everything 2.0.0' },
        { name: 'tools', result: '13 tools' },
        { name: 'schemas', result: 'for codex: 6 of 13 rewritten' },
      ],
    });
  });

  test.each([
    ['well-behaved', 'responds', '2025-11-25'],
    ['stateless', 'responds', '2025-11-25'],
    ['modern', 'uses MCP without sessions', '2026-07-28'],
    ['legacy-sse', 'uses HTTP with SSE', '2024-11-05'],
    ['redirects-same-origin', 'responds', '2025-11-25'],
    ['changes-session-id', 'responds', '2025-11-25'],
    ['closes-idle-sockets', 'responds', '2025-11-25'],
    ['gzip-unasked', 'responds', '2025-11-25'],
  ] as const)(
    'is shown with its protocol, and the end of the test waits for nothing: %s',
    async (name, way, version) => {
      const testbed = await withServer(name);
      const startedAt = performance.now();
      const { status, report } = await testAsJson(testbed, 'far');
      const ms = performance.now() - startedAt;
      expect([status, report.steps[0].result.replace(/^127\.0\.0\.1:\d+ /, ''), report.steps[2].result]).toEqual([
        0,
        way,
        `MCP ${version}, http-fixture 1.0.0`,
      ]);
      // An open connection or timer would keep the process running.
      expect(ms).toBeLessThan(50_000);
    },
  );
});

const AT_LIST = ['--at', 'tools/list'];
const BAD_LIST = { status: 4, code: 'BAD_ANSWER', step: 'tools', next: /Report this to its authors/ };
const CUT_LIST = {
  ...{ status: 4, code: 'CONNECTION_CLOSED', step: 'tools', next: /Reconnect/ },
  // A reset discards unread data, so half of the response may or may not be seen.
  words: /^127\.0\.0\.1:\d+.*(ended its response to tools\/list early|ECONNRESET)/,
};
const BUSY = { status: 4, code: 'UNREACHABLE', step: 'initialize', next: /Check that the server is running/ };
const REFUSED = { status: 4, code: 'HTTP_FAILED', step: 'connect', next: /Check the URL/ };
const NOT_READY = { status: 4, code: 'START_FAILED', next: /did not become ready/ };
const LATE_LIST = {
  ...{ status: 8, code: 'TIMED_OUT', step: 'tools' },
  ...{ words: /^far did not answer tools\/list within \d+ m?s\.$/, next: /allow more time/ },
  timeoutSeconds: 8,
};

const BROKEN: readonly (readonly [HttpFixtureName, readonly string[], Failure])[] = [
  ['answers-202-to-request', AT_LIST, { ...BAD_LIST, words: /answered tools\/list with HTTP 202/ }],
  ['answers-401-plain', [], { ...REFUSED, words: /no sign-in.*mcp add far <url> --replace --header Authorization$/ }],
  ['answers-500', [], { ...BUSY, words: /answered HTTP 500 Internal Server Error\.$/ }],
  ['answers-503', [], { ...BUSY, words: /answered HTTP 503 Service Unavailable\. .*Retry-After: 1\.$/ }],
  ['answers-html', [], { ...NOT_READY, step: 'initialize', words: /text\/html \("Welcome"\): is this the URL/ }],
  ['answers-with-wrong-id', AT_LIST, { ...BAD_LIST, words: /tools\/list/ }],
  ['bad-content-type', AT_LIST, { ...BAD_LIST, words: /answered tools\/list with text\/plain/ }],
  ['cuts-mid-event', AT_LIST, CUT_LIST],
  ['cuts-mid-json', AT_LIST, CUT_LIST],
  [
    'hangs-at-headers',
    [],
    { ...NOT_READY, step: 'connect', words: /far did not answer initialize within 1 s/, timeoutSeconds: 1 },
  ],
  ['hangs-at-headers', AT_LIST, LATE_LIST],
  ['never-ends-stream', AT_LIST, LATE_LIST],
  ['slow-drip', AT_LIST, LATE_LIST],
  ['redirects-elsewhere', [], { ...REFUSED, words: /redirects to http:\S+ .*put http:\S+\/mcp into the config$/ }],
  [
    'sends-forever',
    AT_LIST,
    // The server failed, not Switchboard: status 1 would mean an internal error.
    {
      status: 4,
      code: 'MESSAGE_TOO_LARGE',
      step: 'tools',
      words: /tools\/list with more than the limit/,
      next: /limit/,
    },
  ],
];

describe('a broken server over HTTP is reported with the step, its message and the next step', () => {
  test.each(BROKEN)('%s %j', async (name, options, failure) => {
    const hint = await expectFailure(await withServer(name, ...options), 'far', failure);
    // No such server exists.
    expect(hint).not.toContain('stderr');
  });

  test('one that is unreachable', async () => {
    const testbed = configure(newTestbed(), { away: { url: 'http://127.0.0.1:9/mcp' } });
    await expectFailure(testbed, 'away', {
      ...{ status: 4, code: 'UNREACHABLE', step: 'connect', next: /Check that the server is running/ },
      words: /^127\.0\.0\.1:9: nothing answers at this address \(ECONNREFUSED\)/,
    });
  });
});

verifies('host:cli:test-untrusted', 'an untrusted server is sent nothing', async () => {
  const far = await openFixture('well-behaved');
  const testbed = newTestbed();
  testbed.write('project/.mcp.json', { mcpServers: { far: { type: 'http', url: far.url } } });
  const { status, stdout, stderr } = await testbed.mcp('test', 'far');
  expect([status, stdout, stderr]).toEqual([9, '', expect.stringMatching(/is not trusted.*Run: switchboard trust/)]);
  expect(await far.requests()).toEqual([]);
});

async function openFixture(name: HttpFixtureName, ...options: readonly string[]) {
  const far = await openHttpFixture(name, { options, env: processes.env() });
  closers.push(() => far.close());
  return far;
}

async function withServer(name: HttpFixtureName, ...options: readonly string[]) {
  const { url } = await openFixture(name, ...options);
  return configure(newTestbed(), { far: { url } });
}
