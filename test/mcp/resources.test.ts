import { readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { HOSTILE, runAsJson, STEERING, scripted } from './listing-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const withServers = (servers: Readonly<Record<string, unknown>>) => configure(newTestbed(), servers);

/** Responds to every read with these contents. */
const reading = (contents: unknown) =>
  scripted(
    `{ capabilities: { resources: {} }, methods: { 'resources/list': () => ({ resources: [] }), 'resources/read': () => (${JSON.stringify({ contents })}) } }`,
  );

describe('an unreadable resource', () => {
  test('is reported with the server that lacks it and a suggestion', async () => {
    const testbed = withServers({ one: fixture('offers-everything'), plain: fixture('well-behaved') });
    const rows = [
      [['one', 'test://one/listd'], 5, 'one has no resource test://one/listd. Did you mean test://one/listed?'],
      [['plain', 'a://b'], 5, 'plain does not offer resources.'],
      [['nobody', 'a://b'], 2, expect.stringMatching(/^There is no server nobody\./)],
      [[], 2, expect.stringMatching(/^<uri> is missing\./)],
      [['a', 'b', 'c'], 2, expect.stringMatching(/^Unexpected argument c\./)],
    ] as const;
    const ended = await Promise.all(rows.map(([words]) => runAsJson(testbed, 'resources', 'read', ...words)));
    expect(ended.map(({ status, answer, error }) => [status, answer, error.message])).toEqual(
      rows.map(([, status, message]) => [status, undefined, message]),
    );
  });

  test('without a server is one listed by two servers or by none', async () => {
    const servers = { one: fixture('offers-everything', 'one'), two: fixture('offers-everything', 'two') };
    const testbed = withServers(servers);
    const shared = await testbed.mcp('resources', 'read', 'test://shared');
    expect([shared.status, shared.stdout, shared.stderr.split('\n')[0]]).toEqual([
      ...[2, ''],
      'test://shared is listed by one and two. Run: switchboard mcp resources read one test://shared or switchboard mcp resources read two test://shared',
    ]);
    const nobody = await runAsJson(testbed, 'resources', 'read', 'test://three/listed');
    expect([nobody.status, nobody.error.code]).toEqual([5, 'RESOURCE_NOT_FOUND']);
    expect(nobody.error.near).toContain('test://two/listed');
  });

  test('without a server may belong to a server that could not be reached', async () => {
    const testbed = withServers({ one: fixture('offers-everything'), dying: fixture('dies-at-start') });
    const { status, error } = await runAsJson(testbed, 'resources', 'read', 'other://x');
    expect([status, error.code, error.server]).toEqual([4, 'PROCESS_EXITED', 'dying']);
  });

  test('is a response that violates the protocol', async () => {
    const testbed = withServers({ one: reading('nothing') });
    const { status, error } = await runAsJson(testbed, 'resources', 'read', 'one', 'a://b');
    expect([status, error.code, error.message]).toEqual([
      ...[4, 'BAD_ANSWER', 'one: resources/read: the server sent no list of contents.'],
    ]);
  });

  test('is an unknown subcommand', async () => {
    const testbed = newTestbed();
    const ended = await Promise.all([[], ['lst'], ['--json']].map((args) => testbed.mcp('resources', ...args)));
    expect(ended.map(({ status, stdout }) => [status, stdout])).toEqual(Array(3).fill([2, '']));
    expect(ended[1]?.stderr).toMatch(/^There is no switchboard mcp resources lst\. Did you mean list\?/);
  });
});

const DOCUMENTS = scripted(`{ capabilities: { resources: {} }, methods: { 'resources/list': () => ({ resources: [
  { uri: 'demo://features.md', name: 'features.md', mimeType: 'text/markdown', description: 'What it does' },
] }) } }`);

describe('resources are listed', () => {
  verifies('host:resources:list', 'one per line, with what is needed to read it', async () => {
    const testbed = withServers({ docs: DOCUMENTS, plain: fixture('well-behaved') });
    const { status, stdout, stderr } = await testbed.mcp('resources', 'list');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('docs demo://features.md (text/markdown)  features.md: What it does\n');
    const { answer } = await runAsJson(testbed, 'resources', 'list', 'docs');
    expect(answer).toMatchObject({ v: 1, failures: [], skipped: [] });
    expect(answer.resources[0]).toMatchObject({ server: 'docs', uri: expect.stringMatching(/^demo:/) });
    expect(await testbed.mcp('resources', 'list', 'plain')).toEqual({
      ...{ status: 0, stdout: 'plain does not offer resources\n', stderr: '' },
    });
  });

  verifies('host:resources:templates', 'and so are their templates', async () => {
    const testbed = withServers({ one: fixture('offers-everything'), two: fixture('lists-resources', '["a://b"]') });
    expect(await testbed.mcp('resources', 'templates')).toEqual({
      status: 0,
      stdout: 'one "test://one/items/{id}"  item\none "common://{path}"  common\n',
      stderr: '',
    });
    const two = await testbed.mcp('resources', 'templates', 'two');
    expect([two.status, two.stdout]).toEqual([0, 'two has no resource templates\n']);
  });

  test('on one line without control sequences, whatever they contain', async () => {
    const hostile = {
      uri: `a://${HOSTILE}`,
      name: HOSTILE,
      title: `${HOSTILE}\n`,
      description: HOSTILE,
      mimeType: HOSTILE,
    };
    const testbed = withServers({
      one: scripted(
        `{ capabilities: { resources: {} }, methods: { 'resources/list': () => ({ resources: [${JSON.stringify(hostile)}] }) } }`,
      ),
    });
    for (const more of [[], ['--json']]) {
      const { status, stdout } = await testbed.mcp('resources', 'list', ...more);
      expect([status, stdout.match(STEERING), stdout.split('\n').length]).toEqual([0, null, 2]);
    }
  });
});

describe('a resource is read', () => {
  verifies(
    'host:resources:read',
    'from the server that lists it, has a template for it, or is the only one',
    async () => {
      const testbed = withServers({ one: fixture('offers-everything', 'one'), files: fixture('well-behaved') });
      const uris = ['test://one/listed', 'test://one/items/7', 'test://one/unlisted'];
      const ended = await Promise.all(uris.map((uri) => testbed.mcp('resources', 'read', uri)));
      expect(ended).toEqual(uris.map((uri) => ({ status: 0, stdout: `one has ${uri}\n`, stderr: '' })));
      const { answer } = await runAsJson(testbed, 'resources', 'read', 'one', 'test://shared');
      expect(answer).toEqual({
        ...{ v: 1, server: 'one', uri: 'test://shared' },
        contents: [{ uri: 'test://shared', text: 'one has test://shared' }],
      });
    },
  );

  test('as text without control sequences, unless --raw is given', async () => {
    const testbed = withServers({ one: reading([{ uri: 'a://b', text: `${HOSTILE}\n\tx\n` }]) });
    const read = (...more: readonly string[]) => testbed.mcp('resources', 'read', 'one', 'a://b', ...more);
    const [plain, raw] = await Promise.all([read(), read('--raw')]);
    expect([plain.stdout.match(STEERING), plain.stdout.endsWith('d\n\tx\n')]).toEqual([null, true]);
    expect(raw.stdout).toBe(`${HOSTILE}\n\tx\n`);
  });

  test('as a description if it is not text, and into a file on request', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 27]);
    const content = { uri: 'a://b', blob: bytes.toString('base64'), mimeType: 'image/png' };
    const testbed = withServers({ one: reading([content]) });
    const read = (...more: readonly string[]) => testbed.mcp('resources', 'read', 'one', 'a://b', ...more);
    expect((await read()).stdout).toBe('[image/png, 5 bytes: a://b; --output <file> writes it to a file]\n');
    const file = testbed.path('project/out.png');
    expect((await read('--output', 'out.png')).stdout).toBe(`5 bytes written to ${file}\n`);
    expect([readFileSync(file), statSync(file).mode & 0o777]).toEqual([bytes, 0o600]);
    const again = await read('--output', 'out.png');
    expect([again.status, again.stderr]).toEqual([2, expect.stringMatching(/already exists and is not overwritten/)]);
    const nowhere = await read('--output', 'no/such/folder/x');
    expect([nowhere.status, nowhere.stderr]).toEqual([2, expect.stringMatching(/cannot be written: ENOENT/)]);
  });

  test('into no file if it has several parts', async () => {
    const part = { uri: 'a://b', text: 'x' };
    const testbed = withServers({ one: reading([part, { ...part, text: 'y' }]) });
    expect((await testbed.mcp('resources', 'read', 'one', 'a://b')).stdout).toBe('x\ny\n');
    const { status, stderr } = await testbed.mcp('resources', 'read', 'one', 'a://b', '--output', 'out');
    expect([status, stderr, testbed.exists('project/out')]).toEqual([
      2,
      expect.stringMatching(/this resource has 2/),
      false,
    ]);
  });
});
