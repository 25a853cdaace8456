import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { initialized, initializeRequest, list, run, testHomes } from './run-cli.ts';
import { serverFromFile, tool } from './tools-from-file.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);
const LONG = 120_000;

/** The client name and version that Codex sends. */
const codexInitialize = initializeRequest({
  capabilities: { experimental: { 'codex/auth-change': {} }, elicitation: { form: {}, url: {} } },
  clientInfo: { name: 'codex-mcp-client', title: 'Codex', version: '0.166.0' },
});

test(
  'an unknown server exits with status 2, an unknown tool with status 5, each with a suggestion',
  async () => {
    const home = openHome();
    const file = home.write('servers.json', { mcpServers: { files: fixture('well-behaved') } });
    const explain = (what: string) =>
      run(['gateway', '--config', file, '--explain', what], { env: home.env(), cwd: home.folder });
    const server = await explain('flies');
    expect(server).toMatchObject({ status: 2, stdout: '' });
    expect(server.stderr).toContain('There is no server flies (configured: files). Did you mean files?');
    const unknown = await explain('files.ehco');
    expect(unknown).toMatchObject({ status: 5, stdout: '' });
    expect(unknown.stderr).toContain('files has no tool ehco');
    expect(unknown.stderr).toContain('Did you mean echo');
  },
  LONG,
);

test(
  'a server that is down, disabled, untrusted or broken is explained as far as possible, with the next step',
  async () => {
    const home = openHome();
    const cwd = join(home.folder, 'work');
    home.write('work/.mcp.json', { mcpServers: { mine: fixture('well-behaved'), off: fixture('well-behaved') } });
    const codexFile = home.write('.codex/.mcp.json', {
      mcpServers: {
        dead: fixture('dies-at-start'),
        off: { ...fixture('well-behaved'), enabled: false },
        typo: { comand: 'x' },
      },
    });
    const explain = async (what: string) => {
      const { status, stdout } = await run(['gateway', '--json', '--explain', what], { env: home.env(), cwd });
      const { state, next, config, tools } = JSON.parse(stdout);
      return { status, state, next, config, tools };
    };
    expect(await explain('dead.read')).toMatchObject({
      ...{ status: 4, state: 'error', next: 'switchboard mcp test dead', tools: [] },
      config: { file: codexFile, line: 3, layer: 'codex', overridden: [] },
    });
    const off = await explain('off');
    expect(off).toMatchObject({ status: 0, state: 'disabled', next: `edit ${codexFile}:9`, tools: [] });
    expect(off.config.overridden).toEqual([
      { layer: 'mcp-json', file: join(cwd, '.mcp.json'), line: 9, why: `untrusted: run switchboard trust ${cwd}` },
    ]);
    expect(off.config.values).toContainEqual({
      ...{ key: 'enabled', shown: 'false', file: codexFile, line: 14, layer: 'codex' },
    });
    const untrusted = { status: 4, state: 'disabled', next: `switchboard trust ${cwd}`, tools: [] };
    expect(await explain('mine')).toMatchObject(untrusted);
    expect(await explain('typo')).toMatchObject({ status: 4, state: 'error', next: `edit ${codexFile}:16`, tools: [] });
  },
  LONG,
);

test(
  'secrets are redacted, and control characters from a server are made visible',
  async () => {
    const home = openHome();
    const { command, args } = fixture('odd-tools');
    const odd = { command, args: [...args, '--api-key', 'hush-1'], env: { TOKEN: 'hush-2' } };
    const file = home.write('servers.json', { mcpServers: { odd } });
    const base = ['gateway', '--config', file, '--explain', 'odd'];
    for (const extra of [[], ['--json'], ['--profile', 'codex-legacy'], ['--profile', 'none', '--prefix', 'off']]) {
      const { status, stdout, stderr } = await run([...base, ...extra], { env: home.env(), cwd: home.folder });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).not.toMatch(/hush-/);
      expect(stdout.replaceAll('\n', '')).not.toMatch(
        /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u,
      );
    }
  },
  LONG,
);

test(
  'one tool is shown with its schema before and after, by either name',
  async () => {
    const home = openHome();
    const file = home.write('servers.json', { mcpServers: { odd: fixture('odd-tools') } });
    const explain = (what: string, ...more: string[]) =>
      run(['gateway', '--config', file, '--explain', what, ...more], { env: home.env(), cwd: home.folder });
    const { stdout, status } = await explain('odd.typeless-schema');
    expect(status).toBe(0);
    expect(stdout).toContain(
      'profile codex (for current Codex versions; for others, use --profile none|codex|codex-legacy)',
    );
    expect(stdout).toMatch(/^ {2}command +\S.* +\S+servers\.json:4 \(explicit\)$/m);
    expect(stdout).toMatch(/^tool typeless-schema\n {2}listed as odd__typeless-schema\n {2}repaired: /m);
    expect(stdout).toMatch(/^schema before:\n\{\n {2}"properties": \{\n {4}"q": \{\}\n/m);
    expect(stdout).toMatch(/^schema after:\n\{\n {2}"type": "object"/m);
    expect((await explain('odd.odd__typeless-schema')).stdout).toBe(stdout);
    expect((await explain('odd.typeless-schema', '--profile', 'none')).stdout).toContain('\nschema after: unchanged\n');
    expect((await explain('odd.typeless-schema', '--profile', 'codex-legacy')).stdout).toContain('[narrows]');
  },
  LONG,
);

test(
  'explaining changes nothing, and shows the cached tools when the server is down',
  async () => {
    const home = openHome();
    const server = serverFromFile(home.folder);
    server.offer({ tools: [tool('read')] });
    const { command, args } = server;
    const file = home.write('servers.json', { mcpServers: { one: { command, args, pin: true } } });
    const explain = async () => {
      const ran = await run(['gateway', '--config', file, '--explain', 'one', '--json'], {
        env: home.env(),
        cwd: home.folder,
      });
      const { listed, tools } = JSON.parse(ran.stdout);
      return { status: ran.status, listed, tools: tools.map(({ publicName }: { publicName: string }) => publicName) };
    };
    expect(await explain()).toEqual({ status: 0, listed: 'now', tools: ['one__read'] });
    expect(existsSync(join(home.folder, 'own')) ? readdirSync(join(home.folder, 'own')) : []).toEqual([]);

    await run(['gateway', '--config', file], {
      env: home.env(),
      cwd: home.folder,
      say: [codexInitialize, initialized, list],
    });
    home.write('offer.json', 'rubbish, at which it dies');
    expect(await explain()).toEqual({ status: 4, listed: 'earlier', tools: ['one__read'] });
  },
  LONG,
);
