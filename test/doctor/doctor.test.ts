import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { GLOBAL, ownConfig, serversIn, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { prepareHome, runDoctor } from './doctor-home.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

function open(servers: Readonly<Record<string, unknown>>) {
  const testbed = newTestbed();
  prepareHome(testbed);
  testbed.write(GLOBAL, ownConfig(servers));
  return testbed;
}

describe('a healthy home', () => {
  test('has nothing but ticks, and notes when Codex does not wait for us', async () => {
    const testbed = open({ one: fixture('well-behaved'), two: fixture('well-behaved') });
    testbed.write('.cursor/mcp.json', { mcpServers: {} });
    expect(await testbed.run(['connect', 'cursor', 'codex', '--yes'])).toMatchObject({ status: 0 });
    const { status, stdout, stderr } = await testbed.run(['doctor']);
    expect(stdout).toContain('✓ Servers    all 2 work; 6 tools');
    expect(stdout).toContain('✓ Clients    2 of 2 installed clients connected');
    expect(stdout).not.toMatch(/[⚠✗·]/);
    expect({ status, stderr, last: stdout.trimEnd().split('\n').at(-1) }).toEqual({
      ...{ status: 0, stderr: '', last: 'Everything works.' },
    });
    const config = readFileSync(testbed.path('.codex/config.toml'), 'utf8');
    testbed.write('.codex/config.toml', config.replace('required = true', 'required = false'));
    const { problems, findings } = await runDoctor(testbed);
    expect(problems).toEqual([]);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'client.required', state: 'note', fix: 'switchboard connect codex' }),
    );
    expect(await testbed.run(['connect', 'codex', '--yes'])).toMatchObject({ status: 0 });
    expect(readFileSync(testbed.path('.codex/config.toml'), 'utf8')).toBe(config);
  });

  test('without any config names the first command', async () => {
    const testbed = newTestbed();
    prepareHome(testbed);
    const { status, problems, findings } = await runDoctor(testbed);
    expect({ status, problems }).toEqual({ status: 0, problems: [] });
    expect(findings).toContainEqual(expect.objectContaining({ check: 'config.empty', fix: 'switchboard import' }));
  });
});

test('--json prints one document', async () => {
  const testbed = open({ one: fixture('well-behaved'), gone: { command: 'no-such-program' } });
  const { document, status, stderr } = await runDoctor(testbed);
  expect({ status, stderr }).toEqual({ status: 4, stderr: '' });
  expect(document).toMatchObject({
    v: 1,
    ok: false,
    totals: { warnings: 0, failures: 1 },
    servers: { servers: 2, working: 1, failing: 1, untrusted: 0, disabled: 0, tools: 3 },
  });
  expect(document.sections.map(({ name }: { name: string }) => name)).toEqual([
    ...['node', 'codex', 'config', 'servers', 'clients', 'leftovers', 'files'],
  ]);
  expect(document.sections[3].findings[1]).toEqual({
    check: 'server.start',
    title: expect.stringContaining('gone: Spawn error: command not found: no-such-program'),
    state: 'failure',
    code: 'SPAWN_FAILED',
    advice: expect.stringContaining('or disable the server'),
    fix: 'switchboard disable gone --scope global',
    fixable: false,
  });
});

describe('servers', () => {
  verifies(
    'doctor:timeout:bounded',
    'one that hangs delays no other, is reported after the timeout, and is not left running',
    async () => {
      const testbed = open({ hang: fixture('hangs-at-initialize'), one: fixture('well-behaved') });
      const { status, problems, document } = await runDoctor(testbed, { args: ['--timeout', '2'] });
      expect(status).toBe(8);
      expect(document.servers).toMatchObject({ working: 1, failing: 1 });
      expect(problems).toMatchObject([
        { title: 'hang: No answer within 2 s', code: 'TIMED_OUT', fix: 'switchboard doctor hang --timeout 60' },
      ]);
      expect(processes.alive()).toEqual([]);
    },
  );

  test('Ctrl-C leaves none of them running', async () => {
    const testbed = open({ hang: fixture('hangs-at-initialize') });
    const { command, args } = switchboard('doctor', 'hang');
    const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') });
    const started = spawn(command, args, { cwd: testbed.path('project'), env, stdio: 'ignore' });
    const exited = once(started, 'exit');
    const isRunning = () => processes.alive().some((one) => one.command.includes('hangs-at-initialize'));
    await expect.poll(isRunning, { timeout: 20_000 }).toBe(true);
    started.kill('SIGINT');
    expect(await exited).toEqual([null, 'SIGINT']);
    await processes.assertAllGone({ withinMs: 20_000 });
  });

  test('one that starts the removed codex mcp-server is replaced by --fix, unless it has options', async () => {
    const options = ['-c', 'model="x"', 'mcp-server'];
    const testbed = open({
      old: { command: 'codex', args: ['mcp-server'] },
      tuned: { command: 'codex', args: options },
    });
    const { problems, findings } = await runDoctor(testbed, { args: ['--fix'] });
    expect(problems).toMatchObject([
      {
        title: expect.stringMatching(/^tuned: /),
        advice: expect.stringContaining('start switchboard codex mcp-server'),
      },
    ]);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'server.codex-mcp-server', state: 'ok', fixed: true }),
    );
    const launcher = testbed.path('own/bin/switchboard');
    expect(serversIn(testbed, GLOBAL)).toEqual({
      old: { command: launcher, args: ['codex', 'mcp-server'] },
      tuned: { command: 'codex', args: options },
    });
    expect(testbed.exists('own/bin/switchboard')).toBe(true);
  });

  test('an HTTP server that never answers costs no more than the timeout', async () => {
    const silent = createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const testbed = open({ web: { url: `http://127.0.0.1:${port}/mcp` } });
    const { status, problems } = await runDoctor(testbed, { args: ['--timeout', '2'] });
    silent.closeAllConnections();
    silent.close();
    expect([status, problems.map(({ code }) => code)]).toEqual([8, ['TIMED_OUT']]);
  });

  test.each([
    ['hangs-at-list', 'TIMED_OUT', 8, '3'],
    ['dies-at-start', 'PROCESS_EXITED', 4, '60'],
  ] as const)('%s fails with %s', async (name, code, status, timeout) => {
    const testbed = open({ it: fixture(name) });
    const report = await runDoctor(testbed, { args: ['--timeout', timeout] });
    expect([report.status, report.problems.map((problem) => problem.code)]).toEqual([status, [code]]);
  });

  test('named ones are checked alone', async () => {
    const testbed = open({ one: fixture('well-behaved'), gone: { command: 'no-such-program' } });
    const { status, document } = await runDoctor(testbed, { args: ['one'] });
    expect(status).toBe(0);
    expect(document.sections.map(({ name }: { name: string }) => name)).toEqual(['servers']);
    expect(document.servers).toMatchObject({ servers: 1, working: 1 });
  });

  test('a named one that is not trusted is not started, and the fix is shown', async () => {
    const testbed = open({});
    testbed.write('project/.mcp.json', { mcpServers: { shy: fixture('well-behaved') } });
    const { status, document, problems } = await runDoctor(testbed, { args: ['shy'] });
    expect([status, document.servers.untrusted]).toEqual([0, 1]);
    expect(problems).toMatchObject([{ section: 'servers', fix: `switchboard trust ${testbed.path('project')}` }]);
  });

  test('an unknown name is an error with a suggestion', async () => {
    const testbed = open({ one: fixture('well-behaved') });
    const { status, stderr } = await testbed.run(['doctor', 'onee']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('Did you mean one?')]);
  });

  test('text on stdout, tools that no client can use, and what Codex would drop are warnings', async () => {
    const testbed = open({ junk: fixture('prints-junk'), odd: fixture('odd-tools') });
    const { status, problems, document } = await runDoctor(testbed);
    expect(status).toBe(0);
    expect(problems.map(({ check }) => check)).toEqual(['server.stdout', 'server.schemas']);
    expect(document.servers).toMatchObject({ working: 2 });
  });

  test('those that are not started are counted, not forgotten', async () => {
    const testbed = open({ off: { command: 'x', enabled: false }, one: fixture('well-behaved') });
    testbed.write('project/.mcp.json', { mcpServers: { shy: fixture('well-behaved') } });
    const { document, problems } = await runDoctor(testbed);
    expect(document.servers).toEqual({ servers: 3, working: 1, failing: 0, untrusted: 1, disabled: 1, tools: 3 });
    expect(problems).toMatchObject([
      { check: 'config.trust', fix: `switchboard trust ${testbed.path('project')}`, state: 'warning' },
    ]);
  });
});

describe('config files', () => {
  test('one that cannot be read fails with its line, and the others count', async () => {
    const testbed = open({ one: fixture('well-behaved') });
    testbed.write('.codex/.mcp.json', '{\n  "mcpServers": {,}\n}');
    const { status, problems, document } = await runDoctor(testbed);
    expect(status).toBe(7);
    expect(document.servers).toMatchObject({ working: 1 });
    const [broken] = problems.filter(({ check }) => check === 'config.file');
    expect(broken).toMatchObject({ state: 'failure', advice: `Correct ${testbed.path('.codex/.mcp.json')}:2.` });
  });

  test('one of a newer version is named, and so is a damaged store', async () => {
    const testbed = open({});
    testbed.write(GLOBAL, { version: 2, mcp: { servers: {} } });
    testbed.write('own/secrets.json', '{');
    chmodSync(testbed.path('own/secrets.json'), 0o600);
    const { status, problems } = await runDoctor(testbed);
    expect(status).toBe(7);
    expect(problems.map(({ check }) => check)).toEqual(expect.arrayContaining(['config.file', 'config.store']));
  });

  test('an entry that another file hides is mentioned', async () => {
    const testbed = open({ one: fixture('well-behaved') });
    testbed.write('.codex/.mcp.json', { mcpServers: { one: { command: 'x' } } });
    const { findings } = await runDoctor(testbed);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: 'config.shadowed',
        title: expect.stringMatching(/^one of ~\/.codex\/.mcp.json:3 has no effect here/),
      }),
    );
  });
});
