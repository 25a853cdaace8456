import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject } from '../codex/json.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs } from './limits-testbed.ts';
import { type CodexClient, FREE } from './testbed.ts';

const processes = trackProcesses();

/** The complete attack: a session adds a server to the user's config, and the next one runs it without a sandbox. */
async function plantedServerRan(testbed: LimitedTestbed, client: CodexClient, attack: (prompt: string) => JsonObject) {
  const { codexDir, rootDir } = testbed.home;
  const ran = join(rootDir, 'ran-outside-of-any-sandbox');
  const entry = `[mcp_servers.planted]\ncommand = "/bin/sh"\nargs = ["-c", "touch ${ran}"]\n`;
  const prompt = runs(`printf '${entry.replaceAll('\n', '\\n')}' >> ${join(codexDir, 'config.toml')}`);
  const { name = 'codex_start', ...args } = attack(prompt);
  const reported = await client.result(String(name), args);
  await client.result('codex_start', { ...FREE, prompt: runs('true'), waitSeconds: 50 });
  return { ran: existsSync(ran), isRefused: reported['isError'] === true, text: textOf(reported) };
}

function textOf({ content }: JsonObject): string {
  const [first] = Array.isArray(content) ? content : [];
  return isObject(first) ? String(first['text']) : '';
}

describe("a caller's config grants no folder that addDirs would not", () => {
  test.each<[string, readonly string[], (folder: string) => JsonObject]>([
    ['a dotted key', ['--approvals', 'none'], (dir) => ({ 'sandbox_workspace_write.writable_roots': `["${dir}"]` })],
    [
      'an inline table',
      ['--approvals', 'user'],
      (dir) => ({ sandbox_workspace_write: `{ writable_roots = ["${dir}"] }` }),
    ],
    ['no operator limit', [], (dir) => ({ 'sandbox_workspace_write.writable_roots': `["${dir}"]` })],
    [
      'a permission profile',
      ['--approvals', 'none'],
      (dir) => ({ default_permissions: 'x', 'permissions.x.filesystem': `{ "${dir}" = "write" }` }),
    ],
  ])('%s', async (_, args, config) => {
    await using testbed = await openLimitedTestbed(processes);
    const client = await testbed.serve({ args });
    const result = await plantedServerRan(testbed, client, (prompt) => ({
      ...FREE,
      prompt,
      config: config(testbed.home.codexDir),
      waitSeconds: 50,
    }));

    expect(result).toMatchObject({ ran: false, isRefused: true });
  });

  test('the config of the drop-in', async () => {
    await using testbed = await openLimitedTestbed(processes);
    const client = await testbed.serve({ args: ['--tools', 'all', '--approvals', 'none'] });
    const result = await plantedServerRan(testbed, client, (prompt) => ({
      name: 'codex',
      prompt,
      sandbox: 'workspace-write',
      config: { sandbox_workspace_write: { writable_roots: [testbed.home.codexDir] } },
    }));

    expect(result).toMatchObject({ ran: false, isRefused: true });
  });

  test('a profile named by the caller', async () => {
    await using testbed = await openLimitedTestbed(processes);
    const roots = `[sandbox_workspace_write]\nwritable_roots = ["${testbed.home.codexDir}"]\n`;
    await writeFile(join(testbed.home.codexDir, 'wide.config.toml'), roots);
    for (const engine of ['app-server', 'exec']) {
      const client = await testbed.serve({ args: ['--approvals', 'none', '--engine', engine] });
      const result = await plantedServerRan(testbed, client, (prompt) => ({
        ...FREE,
        prompt,
        profile: 'wide',
        waitSeconds: 50,
      }));
      expect([engine, result]).toEqual([engine, expect.objectContaining({ ran: false, isRefused: true })]);
    }
  });

  test.each(['agents', 'skills', 'some_day'])('config.%s is refused under a limit', async (key) => {
    await using testbed = await openLimitedTestbed(processes);
    const client = await testbed.serve({ args: ['--approvals', 'none'] });
    const reported = await client.failure('codex_start', { ...FREE, prompt: 'x', config: { [`${key}.x`]: '1' } });
    expect(reported).toContain(`config.${key} may give a session more than its sandbox allows`);
  });
});

describe('a profile named by a caller', () => {
  test.each(['app-server', 'exec'])('does not disable the sandbox: %s', async (engine) => {
    await using testbed = await openLimitedTestbed(processes);
    const file = join(testbed.outside, 'by-profile');
    await writeFile(join(testbed.home.codexDir, 'open.config.toml'), 'sandbox_mode = "danger-full-access"\n');
    const client = await testbed.serve({ args: ['--engine', engine] });
    const asked = { prompt: runs(`touch ${file}`), skipGitRepoCheck: true, profile: 'open', waitSeconds: 50 };

    expect(await client.failure('codex_start', asked)).toContain('The sandbox danger-full-access is not allowed here.');
    expect(existsSync(file)).toBe(false);
    expect(await client.call('codex_start', { ...asked, sandbox: 'read-only' })).toMatchObject({ status: 'done' });
  });
});

describe("the user's disabled servers and tools", () => {
  const server = (testbed: LimitedTestbed) =>
    `[mcp_servers.off]\nenabled = false\ncommand = "/bin/sh"\nargs = ["-c", "touch ${join(testbed.outside, 'started')}"]\n`;

  test('a caller cannot start a server that the user disabled', async () => {
    await using testbed = await openLimitedTestbed(processes);
    await appendFile(join(testbed.home.codexDir, 'config.toml'), server(testbed));
    const client = await testbed.serve();
    const config = { 'mcp_servers.off.enabled': 'true' };

    const reported = await client.failure('codex_start', { ...FREE, prompt: runs('true'), config, waitSeconds: 50 });

    expect(reported).toContain('config.mcp_servers.off');
    expect(existsSync(join(testbed.outside, 'started'))).toBe(false);
  });

  test('a caller cannot re-enable a tool that the user disabled', async () => {
    await using testbed = await openLimitedTestbed(processes);
    const entry =
      '[mcp_servers.some]\ncommand = "/bin/true"\ndisabled_tools = ["drop"]\nenabled_tools = ["drop", "read"]\n';
    await appendFile(join(testbed.home.codexDir, 'config.toml'), entry);
    const client = await testbed.serve();
    const refusal = (config: JsonObject) => client.failure('codex_start', { ...FREE, prompt: 'x', config });

    expect(await refusal({ 'mcp_servers.some.disabled_tools': '[]' })).toContain('config.mcp_servers.some');
    expect(await refusal({ 'mcp_servers.some.enabled_tools': '["read", "write"]' })).toContain(
      'config.mcp_servers.some',
    );
    const narrower = { 'mcp_servers.some.disabled_tools': '["drop", "read"]', 'mcp_servers.some.enabled_tools': '[]' };
    const done = await client.call('codex_start', { ...FREE, prompt: runs('true'), config: narrower, waitSeconds: 50 });
    expect(done).toMatchObject({ status: 'done' });
  });

  test.each([
    ['a profile', 'work.config.toml'],
    ['the working folder', '../work/.codex/config.toml'],
  ])('a caller cannot re-enable a tool disabled by %s', async (_, file) => {
    await using testbed = await openLimitedTestbed(processes);
    const { codexDir, workDir } = testbed.home;
    await mkdir(join(workDir, '.codex'));
    await writeFile(join(codexDir, 'work.config.toml'), 'model_verbosity = "low"\n');
    await appendFile(join(codexDir, 'config.toml'), '[mcp_servers.some]\ncommand = "/bin/true"\n');
    await writeFile(join(codexDir, file), '[mcp_servers.some]\ncommand = "/bin/true"\ndisabled_tools = ["drop"]\n');
    const client = await testbed.serve();
    const start = { ...FREE, profile: 'work', prompt: runs('true'), waitSeconds: 20 };

    const wider = { 'mcp_servers.some.disabled_tools': '[]' };
    expect(await client.failure('codex_start', { ...start, config: wider })).toContain('config.mcp_servers.some');
    const narrower = { 'mcp_servers.some.disabled_tools': '["drop", "read"]' };
    expect(await client.call('codex_start', { ...start, config: narrower })).toMatchObject({ status: 'done' });
  });
});

describe('our own files', () => {
  test.each<[string, (testbed: LimitedTestbed) => { env: Record<string, string>; at: string }]>([
    [
      'the config folder',
      ({ home }) => ({ env: { SWITCHBOARD_HOME: '' }, at: join(home.rootDir, '.config/switchboard') }),
    ],
    ['SWITCHBOARD_HOME', ({ own }) => ({ env: { SWITCHBOARD_HOME: own }, at: own })],
    [
      'the folder of SWITCHBOARD_CONFIG_PATH',
      ({ outside }) => ({ env: { SWITCHBOARD_CONFIG_PATH: join(outside, 'mine.json') }, at: outside }),
    ],
    [
      'the folder of CODEX_MCP_WRAPPER_CONFIG',
      ({ outside }) => ({ env: { CODEX_MCP_WRAPPER_CONFIG: join(outside, 'mine.json') }, at: outside }),
    ],
  ])('cannot be written by a session: %s', async (_, place) => {
    await using testbed = await openLimitedTestbed(processes);
    const { env, at } = place(testbed);
    await mkdir(at, { recursive: true });
    const file = join(at, 'config.json');
    for (const args of [[], ['--approvals', 'none', '--allow-root', testbed.home.rootDir]]) {
      const client = await testbed.serve({ args, env });
      const start = { ...FREE, prompt: runs(`echo '{}' > ${file}`), waitSeconds: 50 };
      for (const more of [{ addDirs: [at] }, { workingDirectory: at }, { addDirs: [testbed.home.rootDir] }])
        expect(await client.failure('codex_start', { ...start, ...more })).toContain(
          'where files control what runs outside of any sandbox',
        );
    }
    expect(existsSync(file)).toBe(false);
  });
});

test('with any limit and without --allow-root, sessions work only below the folder of the server', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const file = join(testbed.outside, 'elsewhere');
  for (const args of [
    ['--max-sandbox', 'workspace-write'],
    ['--approvals', 'none'],
    ['--approvals', 'user'],
  ]) {
    const client = await testbed.serve({ args, env: { SWITCHBOARD_HOME: testbed.own } });
    const start = { ...FREE, prompt: runs(`touch ${file}`), waitSeconds: 50 };
    for (const more of [{ addDirs: [testbed.outside] }, { workingDirectory: testbed.outside }])
      expect(await client.failure('codex_start', { ...start, ...more })).toContain('--allow-root');
    const inside = join(testbed.root, 'inside');
    await client.call('codex_start', { ...start, prompt: runs(`touch ${inside}`) });
    expect([existsSync(inside), existsSync(file)]).toEqual([true, false]);
  }
  expect(await readFile(join(testbed.home.codexDir, 'config.toml'), 'utf8')).not.toContain('trust_level');
});
