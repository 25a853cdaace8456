import { describe, expect, test } from 'vitest';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { oneDocument, runInAllModes, verbRows, withBrokenConfig, withServers } from './output-modes.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

describe('a command that succeeds', () => {
  test.each(verbRows)('writes only to stdout, whatever the format: $verb', async ({ verb, good }) => {
    const isConnecting = verb === 'login';
    const web = isConnecting ? await openHttpFixture('well-behaved', { env: processes.env() }) : undefined;
    try {
      const { plain, verbose, json, statuses } = await runInAllModes(() => withServers(newTestbed(), web?.url), good);
      expect(statuses).toEqual([0, 0, 0]);
      expect(plain.stdout).toMatch(/\S\n$/);
      expect(verbose.stdout).toBe(plain.stdout);
      expect([oneDocument(json.stdout), json.stderr]).toEqual([expect.objectContaining({ v: 1 }), '']);
    } finally {
      await web?.close();
    }
  });

  test('prints the same JSON with --verbose', async () => {
    const rows = [['list'], ['get', 'one'], ['logout', 'web'], ['disable', 'one', '--scope', 'global']];
    const differences = rows.map(async (args) => {
      const run = async (...more: readonly string[]) => {
        const testbed = withServers(newTestbed());
        const { stdout, stderr } = await testbed.mcp(...args, '--json', ...more);
        return [stdout.replaceAll(testbed.folder, ''), stderr];
      };
      expect(await run('--verbose')).toEqual(await run());
    });
    await Promise.all(differences);
  });
});

describe('commands that print a result although they fail', () => {
  test('a list of the readable entries, with status 7', async () => {
    const { plain, verbose, json, statuses } = await runInAllModes(() => withBrokenConfig(newTestbed()), ['list']);
    expect([statuses, plain.stderr]).toEqual([[7, 7, 7], expect.stringMatching(/own\/config\.json:2: Not JSON/)]);
    expect(verbose.stdout).toBe(plain.stdout);
    // Servers are configured, but the file cannot be read.
    expect(plain.stdout).not.toContain('no MCP servers configured');
    expect(oneDocument(json.stdout)).toMatchObject({
      servers: [],
      problems: [{ file: expect.stringMatching(/config\.json$/), line: 2 }],
    });
  });

  test('a sign-out, whatever the config says', async () => {
    const record = { url: 'http://127.0.0.1:9/mcp', access_token: 'a-token-of-web', client_id: 'c' };
    const testbeds: Testbed[] = [];
    const signedIn = () => {
      const testbed = withBrokenConfig(newTestbed());
      testbed.write('own/mcp-auth.json', { version: 1, servers: { web: record } });
      testbeds.push(testbed);
      return testbed;
    };
    const { plain, json, statuses } = await runInAllModes(signedIn, ['logout', 'web']);
    expect([statuses, plain.stdout]).toEqual([[0, 0, 0], expect.stringMatching(/^Signed out of web\./)]);
    expect(oneDocument(json.stdout)).toMatchObject({ v: 1, server: 'web', wasSignedIn: true });
    expect(testbeds.map((testbed) => testbed.read('own/mcp-auth.json').includes('a-token-of-web'))).toEqual(
      Array(3).fill(false),
    );
  });

  test('a test: the report goes to stdout, and the failure itself to stderr', async () => {
    const dying = () => configure(newTestbed(), { one: fixture('dies-at-start') });
    const { plain, verbose, json, statuses } = await runInAllModes(dying, ['test', 'one']);
    expect([statuses, verbose.stdout]).toEqual([[4, 4, 4], plain.stdout]);
    expect([plain.stdout, plain.stderr]).toEqual([
      expect.stringMatching(/✗ initialize/),
      expect.stringMatching(/^one: it ended with exit code 3/),
    ]);
    expect(oneDocument(json.stdout)).toMatchObject({ servers: [{ ok: false }] });
    expect(oneDocument(json.stderr)).toMatchObject({ error: { code: 'PROCESS_EXITED', server: 'one' } });
  });
});
