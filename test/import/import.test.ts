import { describe, expect, test } from 'vitest';
import { quoteIfNeeded } from '../../src/base/text/visible-text.ts';
import { fixture } from '../fixtures/paths.ts';
import { answerOnTerminal } from '../mcp/answer-on-terminal.ts';
import { GLOBAL, ownConfig, PROJECT, serversIn, type Testbed, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { modeOf } from '../temporary-folder.ts';
import { SECRETS, writeFiveClients } from './home.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const STORE = 'own/secrets.json';
const RECORD = 'own/clients.json';

function withFiveClients(): Testbed {
  const testbed = newTestbed();
  writeFiveClients(testbed);
  return testbed;
}

/** The entries that an import of all five clients writes. */
const reporter = fixture('reports-environment');
const IMPORTED = {
  reports: {
    transport: 'stdio',
    ...reporter,
    env: { SERVICE_TOKEN: `\${IMPORTED_REPORTS_SERVICE_TOKEN}`, MODE: 'fast' },
    request_timeout_ms: 30000,
    expand_variables: true,
    imported_from: 'Codex (~/.codex/config.toml)',
  },
  docs: { transport: 'http', url: 'https://docs.example/mcp', imported_from: 'Claude Code (~/.claude.json)' },
  'docs-cursor': {
    transport: 'http',
    url: 'https://other.example/mcp',
    bearer_token_env_var: 'IMPORTED_DOCS_CURSOR_TOKEN',
    imported_from: 'Cursor (~/.cursor/mcp.json)',
  },
  needs: {
    transport: 'stdio',
    command: 'x',
    env: { KEY: `\${UNSET_KEY}` },
    expand_variables: true,
    imported_from: 'Cursor (~/.cursor/mcp.json)',
  },
  search: {
    transport: 'http',
    url: `https://search.example/mcp?api_key=\${IMPORTED_SEARCH_API_KEY}`,
    disabled_tools: ['write'],
    expand_variables: true,
    enabled: false,
    imported_from: 'Windsurf (~/.codeium/windsurf/mcp_config.json)',
  },
  database: {
    transport: 'stdio',
    command: 'db-server',
    args: ['--password', SECRETS[2], `\${LITERAL}`],
    imported_from: 'Zed (~/.config/zed/settings.json)',
  },
};

describe('switchboard import with five clients', () => {
  test('imports every server once, stores secrets, and records which client had which', async () => {
    const testbed = withFiveClients();
    const { status, stdout, stderr } = await testbed.run(['import', '--all']);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'Next: switchboard trust (servers of a project need your trust)\nNext: switchboard test --all\n',
    });
    expect(serversIn(testbed, GLOBAL)).toEqual(IMPORTED);
    expect(serversIn(testbed, PROJECT)).toEqual({
      local: {
        transport: 'stdio',
        command: 'node',
        args: ['local.js'],
        imported_from: 'Claude Code (~/.claude.json)',
      },
    });
    expect(testbed.json(STORE)).toEqual({
      version: 1,
      secrets: {
        IMPORTED_REPORTS_SERVICE_TOKEN: SECRETS[0],
        IMPORTED_DOCS_CURSOR_TOKEN: SECRETS[1],
        IMPORTED_SEARCH_API_KEY: SECRETS[3],
      },
    });
    expect(testbed.json(RECORD)).toEqual({
      version: 1,
      clients: {
        codex: { imported: ['reports'], names: { reports: 'reports' }, shared: [], seen: ['reports'] },
        claude: { imported: ['docs'], names: { docs: 'docs' }, shared: [], seen: ['docs', 'local'] },
        cursor: {
          imported: ['reports', 'docs-cursor', 'needs'],
          names: { 'my reporter': 'reports', docs: 'docs-cursor', needs: 'needs' },
          shared: [],
          seen: ['my reporter', 'docs', 'needs'],
        },
        windsurf: { imported: [], names: {}, shared: [], seen: ['search'] },
        zed: { imported: ['database'], names: { database: 'database' }, shared: [], seen: ['database'] },
      },
    });
    expect([STORE, RECORD, GLOBAL].map((name) => modeOf(testbed.path(name)))).toEqual(['600', '600', '600']);
    for (const secret of SECRETS) expect(stdout).not.toContain(secret);
  });

  test('shows what it found per client, and nothing is written by a dry run', async () => {
    const testbed = withFiveClients();
    const { status, stdout, stderr } = await testbed.run(['import', '--dry-run']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const target = [reporter.command, ...reporter.args].map(quoteIfNeeded).join(' ');
    expect(stdout.split('\n')).toEqual([
      'Codex (~/.codex/config.toml)',
      `  reports      ${target}`,
      '               secret: env.SERVICE_TOKEN will be stored as IMPORTED_REPORTS_SERVICE_TOKEN',
      '               not carried over: required (Switchboard starts without servers that fail, and connects to them later)',
      "  switchboard  skipped: it is Switchboard's own gateway",
      '',
      'Claude Code (~/.claude.json)',
      '  docs   https://docs.example/mcp',
      '  local  node local.js',
      '',
      'Cursor (~/.cursor/mcp.json)',
      '  "my reporter"  the same as reports in Codex',
      '  docs           https://other.example/mcp, imported as docs-cursor',
      '                 secret: headers.Authorization will be stored as IMPORTED_DOCS_CURSOR_TOKEN',
      '  needs          x',
      '                 needs UNSET_KEY: set it, or run switchboard secret set UNSET_KEY',
      '',
      'Windsurf (~/.codeium/windsurf/mcp_config.json)',
      '  search  "https://search.example/mcp?api_key=(value hidden)", disabled',
      '          secret: url will be stored as IMPORTED_SEARCH_API_KEY',
      '',
      'Zed (~/.config/zed/settings.json)',
      `  database   db-server --password (value hidden) "\${LITERAL}"`,
      '             warning: args contains a secret, which stays in the config',
      '  extension  skipped: it is a Zed extension, which only Zed can start',
      '',
      'Would import 7 servers into ~/own/config.json and ~/project/.switchboard/config.json. Would store 3 secrets.',
      'Nothing was changed. To import, leave out --dry-run.',
      '',
    ]);
    expect([GLOBAL, PROJECT, STORE, RECORD].filter((name) => testbed.exists(name))).toEqual([]);
  });

  test('an imported server works with its own secret, whatever the environment has under that name', async () => {
    const testbed = withFiveClients();
    await testbed.run(['import', 'my reporter']);
    const env = { SERVICE_TOKEN: 'for another program' };
    const { status, stdout } = await testbed.run(['call', 'reports.environment', '--json'], { env });
    expect(status).toBe(0);
    const { env: received } = JSON.parse(JSON.parse(stdout).result.content[0].text);
    expect([received['SERVICE_TOKEN'], received['MODE']]).toEqual([SECRETS[0], 'fast']);
  });

  test('a second import keeps everything, and --new finds only what appeared since', async () => {
    const testbed = withFiveClients();
    await testbed.run(['import', '--all']);
    const files = [GLOBAL, PROJECT, STORE, RECORD].map((name) => testbed.read(name));
    const again = await testbed.run(['import', '--all']);
    expect(again.stdout).toContain('Nothing to import. 7 servers were already in your config.');
    expect([GLOBAL, PROJECT, STORE, RECORD].map((name) => testbed.read(name))).toEqual(files);
    expect((await testbed.run(['import', '--new'])).stdout).toContain('No new servers since the last import.');
    testbed.write('.cursor/mcp.json', { mcpServers: { docs: { url: 'https://x.example' }, added: { command: 'y' } } });
    const { status, stdout } = await testbed.run(['import', '--new', '--all', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).servers).toEqual([
      {
        id: 'added',
        action: 'added',
        enabled: true,
        file: testbed.path(GLOBAL),
        foundIn: [
          { name: 'added', client: 'cursor', title: 'Cursor', file: testbed.path('.cursor/mcp.json'), line: 6 },
        ],
        entry: { transport: 'stdio', command: 'y', imported_from: 'Cursor (~/.cursor/mcp.json)' },
        secrets: [],
        inlineSecrets: [],
        missing: [],
        notCarried: [],
      },
    ]);
  });

  test('different settings under the same id need --replace, and comments of our config stay', async () => {
    const testbed = withFiveClients();
    const before = `{\n  // mine\n  "version": 1,\n  "mcp": { "servers": { "docs": { "url": "https://mine.example" } } }\n}\n`;
    testbed.write(GLOBAL, before);
    const named = await testbed.run(['import', 'docs', '--from', 'claude']);
    expect(named).toMatchObject({ status: 2, stderr: expect.stringContaining('run the command again with --replace') });
    expect(testbed.read(GLOBAL)).toBe(before);
    const all = await testbed.run(['import', '--all', '--from', 'claude']);
    expect(all).toMatchObject({ status: 0, stdout: expect.stringContaining('1 server was not imported: see above.') });
    expect(testbed.read(GLOBAL)).toBe(before);
    await testbed.run(['import', 'docs', '--from', 'claude', '--replace']);
    expect(testbed.read(GLOBAL)).toContain('// mine');
    expect(testbed.read(GLOBAL)).toContain('https://docs.example/mcp');
  });

  test.each([
    ['', 0, 7],
    ['y', 0, 7],
    ['n', 9, 0],
    ['needs, docs-cursor', 0, 2],
    ['\u0003', 130, 0],
  ])('on a terminal, it asks, and %j leads to status %i and %i servers', async (answer, status, count) => {
    const testbed = withFiveClients();
    const question = 'Import all 7? [Y/n/pick] ';
    const then = [{ question: 'UNSET_KEY has no value. Enter and store it now? [y/N] ', answer: '' }];
    const ran = await answerOnTerminal(testbed, processes, { command: 'import', args: [], question, answer, then });
    expect(ran.status).toBe(status);
    const files = [GLOBAL, PROJECT].filter((name) => testbed.exists(name));
    expect(files.flatMap((name) => Object.keys(serversIn(testbed, name)))).toHaveLength(count);
  });
});

test('status names servers that appeared in a client since its last import', async () => {
  const testbed = newTestbed();
  testbed.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } });
  testbed.write('.codeium/windsurf/mcp_config.json', { mcpServers: { other: { command: 'y' } } });
  const status = async (...args: readonly string[]) => (await testbed.run(['status', ...args])).stderr;
  expect(await status()).toBe('');
  await testbed.run(['import', '--all', '--from', 'cursor']);
  expect(await status()).not.toContain('New since');
  testbed.write('.cursor/mcp.json', {
    mcpServers: { a: { command: 'x' }, b: { command: 'y' }, 'c d': { command: 'z' } },
  });
  expect(await status()).toContain('New since the last import: b, "c d" in Cursor. Next: switchboard import --new');
  expect(await status('--json')).toBe('');
  testbed.write(RECORD, 'damaged');
  expect(await status()).not.toContain('damaged');
});

test('in the home folder, the files of a client are read once, as those of the user', async () => {
  const testbed = newTestbed();
  testbed.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } });
  const { stdout } = await testbed.run(['import', '--all'], { cwd: testbed.folder });
  expect(stdout).toBe(
    'Cursor (~/.cursor/mcp.json)\n  a  x\n\nImported 1 server into ~/own/config.json.\nCursor will see 1 server once connected.\nSome tools are not known yet. To count them, run: switchboard warm\n',
  );
});

describe('switchboard import --from', () => {
  test('reads a file, and stdin in JSON and TOML', async () => {
    const testbed = newTestbed();
    testbed.write('x.json', { mcpServers: { file: { command: 'a', args: [`\${env:HOST:-x}`] } } });
    await testbed.run(['import', '--all', '--from', testbed.path('x.json')]);
    const toml = '[mcp_servers.toml]\ncommand = "b"\n';
    expect(await testbed.run(['import', '--yes', '--from', '-'], { stdin: toml })).toMatchObject({ status: 0 });
    const json = JSON.stringify([{ name: 'json', command: 'c' }]);
    expect(await testbed.run(['import', 'json', '--from', '-'], { stdin: json })).toMatchObject({ status: 0 });
    expect(serversIn(testbed, GLOBAL)).toEqual({
      file: {
        transport: 'stdio',
        command: 'a',
        args: [`\${HOST:-x}`],
        expand_variables: true,
        imported_from: 'an MCP config (~/x.json)',
      },
      toml: { transport: 'stdio', command: 'b', imported_from: 'Codex (stdin)' },
      json: { transport: 'stdio', command: 'c', imported_from: 'an MCP config (stdin)' },
    });
    expect(testbed.exists(RECORD)).toBe(false);
  });

  test('--scope decides where servers are written', async () => {
    const testbed = withFiveClients();
    await testbed.run(['import', 'needs', '--scope', 'project']);
    await testbed.run(['import', 'local', '--scope', 'global']);
    expect([GLOBAL, PROJECT].map((name) => Object.keys(serversIn(testbed, name)))).toEqual([['local'], ['needs']]);
  });

  test('--config reads the same files', async () => {
    const testbed = withFiveClients();
    const config = testbed.path('.codex/config.toml');
    const { stdout } = await testbed.run(['call', 'reports.environment', '--json', '--config', config]);
    expect(JSON.parse(JSON.parse(stdout).result.content[0].text).env['SERVICE_TOKEN']).toBe(SECRETS[0]);
    const zed = await testbed.run(['list', '--json', '--config', testbed.path('.config/zed/settings.json')]);
    expect(JSON.parse(zed.stdout).servers.map(({ id }: { id: string }) => id)).toEqual(['database']);
  });
});

test('an entry of our own config that came from an import is an ordinary one', async () => {
  const testbed = newTestbed();
  testbed.write(GLOBAL, ownConfig({ a: { command: 'x', imported_from: 'Cursor (~/.cursor/mcp.json)' } }));
  const { status, stdout } = await testbed.run(['list', '--json']);
  expect([status, JSON.parse(stdout).problems ?? []]).toEqual([0, []]);
});

test('the server that Codex removed becomes our drop-in, with the launcher that starts it', async () => {
  const testbed = newTestbed();
  testbed.write('.cursor/mcp.json', { mcpServers: { agent: { command: 'codex', args: ['mcp-server'] } } });
  const { status, stdout } = await testbed.run(['import', '--all']);
  expect([status, stdout]).toEqual([0, expect.stringContaining('Codex 0.154 removed codex mcp-server')]);
  const command = testbed.path('own/bin/switchboard');
  expect(serversIn(testbed, GLOBAL)).toMatchObject({ agent: { command, args: ['codex', 'mcp-server'] } });
  expect(testbed.exists('own/bin/switchboard')).toBe(true);
});
