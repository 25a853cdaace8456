import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { CliProcess } from './cli-process.ts';
import { run, type TestHome, testHomes } from './run-cli.ts';
import { answered, serverFromFile, tool } from './tools-from-file.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);
const LONG = 120_000;
const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const CHANGED = 'notifications/tools/list_changed';

/** A running gateway, its config file, and servers for it. */
async function setUp(entry: object = {}) {
  const home = openHome();
  const file = join(home.folder, 'servers.json');
  const server = (name: string) => {
    const own = serverFromFile(home.folder, name);
    own.offer({ tools: [tool('work')], version: name });
    return { command: own.command, args: own.args, ...entry };
  };
  const configure = (...names: readonly string[]) => {
    const next = `${file}.next`;
    writeFileSync(next, toConfig(names.map((name) => [name, server(name)])));
    rmSync(file, { force: true, recursive: true });
    renameSync(next, file);
  };
  configure('one');
  const gateway = await start(home, file);
  return { home, file, server, configure, gateway };
}

const toConfig = (servers: readonly (readonly [string, object])[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(servers) });

async function start(home: TestHome, file: string, ...more: readonly string[]): Promise<CliProcess> {
  const command = { command: process.execPath, args: [MAIN, 'gateway', '--config', file, ...more] };
  const gateway = new CliProcess(command, processes, home.env(), home.folder);
  await gateway.initialize();
  await lists(gateway, 'one__work');
  return gateway;
}

/** Resolves when the config has been read. From then on, every change is noticed. */
async function lists(gateway: CliProcess, ...expected: readonly string[]): Promise<void> {
  await expect.poll(() => names(gateway)).toEqual(expected);
}

const says = (gateway: CliProcess, text: string) => expect.poll(() => gateway.stderr).toContain(text);

async function names(gateway: CliProcess): Promise<string[]> {
  const { result } = await gateway.request('tools/list');
  return result.tools.map(({ name }: { name: string }) => name);
}

async function end(gateway: CliProcess): Promise<void> {
  gateway.endInput();
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
}

test(
  'a server added to the config works without a restart, and a removed one is gone',
  async () => {
    const { configure, gateway } = await setUp();
    const { pid } = answered(await gateway.call('one__work'));
    configure('one', 'two');
    await gateway.waitFor(({ method }) => method === CHANGED);
    expect(answered(await gateway.call('two__work'))).toMatchObject({ version: 'two' });
    expect(answered(await gateway.call('one__work'))).toMatchObject({ pid });
    configure('two');
    await lists(gateway, 'two__work');
    await says(gateway, 'The config has changed: started two.');
    await says(gateway, 'The config has changed: stopped one.');
    await end(gateway);
  },
  LONG,
);

test(
  'a file that no longer parses changes nothing, and stderr and the status report it',
  async () => {
    const { file, configure, gateway } = await setUp();
    const { pid } = answered(await gateway.call('one__work'));
    writeFileSync(file, '{ "mcpServers": { "one": ');
    await says(gateway, 'remain unchanged.');
    expect(answered(await gateway.call('one__work'))).toMatchObject({ pid });
    const status = await gateway.request('resources/read', { uri: 'switchboard://status' });
    expect(JSON.parse(status.result.contents[0].text).problems.join()).toContain('servers.json');
    configure('one', 'two');
    await lists(gateway, 'one__work', 'two__work');
    const healed = await gateway.request('resources/read', { uri: 'switchboard://status' });
    expect(JSON.parse(healed.result.contents[0].text).problems).toEqual([]);
    await end(gateway);
  },
  LONG,
);

test(
  'replacing the file with a folder, a symlink, garbage and nothing loses no call, and the last version applies',
  async () => {
    const { home, file, configure, gateway } = await setUp();
    const { pid } = answered(await gateway.call('one__work'));
    const elsewhere = join(home.folder, 'elsewhere.json');
    writeFileSync(elsewhere, '[1, 2');
    const forms = [
      () => mkdirSync(file),
      () => symlinkSync(elsewhere, file),
      () => symlinkSync('/dev/null', file),
      () => symlinkSync(file, file),
      () => writeFileSync(file, '\u0000\u0001rubbish'),
      () => writeFileSync(file, '{"mcpServers": 7}'),
      () => {},
    ];
    for (let turn = 0; turn < 25; turn++) {
      rmSync(file, { force: true, recursive: true });
      forms[turn % forms.length]?.();
      for (let call = 0; call < 20; call++) expect(answered(await gateway.call('one__work'))).toMatchObject({ pid });
    }
    configure('one', 'two');
    await lists(gateway, 'one__work', 'two__work');
    expect(answered(await gateway.call('one__work'))).toMatchObject({ pid });
    await end(gateway);
  },
  LONG,
);

test(
  'tools quarantined by a pin are offered as soon as the user trusts them',
  async () => {
    const { home, file, gateway } = await setUp({ pin: true });
    const own = serverFromFile(home.folder, 'one');
    own.offer({ tools: [tool('work'), tool('steal')], version: 'one' });
    await gateway.call('one__work', { announce: true });
    await says(gateway, 'quarantined until you trust them: steal');
    expect(await names(gateway)).toEqual(['one__work']);
    const trusted = await run(['trust', 'one', '--yes', '--config', file], { env: home.env(), cwd: home.folder });
    expect(trusted).toMatchObject({ status: 0, stderr: '' });
    expect(trusted.stdout).toContain('steal');
    await lists(gateway, 'one__work', 'one__steal');
    await end(gateway);
  },
  LONG,
);

test(
  'a server that is no longer trusted is stopped, even if another file is broken',
  async () => {
    const home = openHome();
    const own = serverFromFile(home.folder);
    own.offer({ tools: [tool('work')], version: 'own' });
    const { command, args } = own;
    home.write('work/.mcp.json', { mcpServers: { project: { command, args } } });
    home.write('.codex/.mcp.json', { mcpServers: { codex: { command, args } } });
    const cwd = join(home.folder, 'work');
    expect((await run(['trust', '--yes'], { env: home.env(), cwd })).status).toBe(0);
    const gateway = new CliProcess({ command: process.execPath, args: [MAIN, 'gateway'] }, processes, home.env(), cwd);
    await gateway.initialize();
    await lists(gateway, 'project__work', 'codex__work');
    home.write('.codex/.mcp.json', '{ broken');
    await says(gateway, 'Its servers remain unchanged');
    expect(await names(gateway)).toEqual(['project__work', 'codex__work']);
    expect((await run(['untrust'], { env: home.env(), cwd })).status).toBe(0);
    await lists(gateway, 'codex__work');
    await end(gateway);
  },
  LONG,
);

test(
  'a failed reload reports the problems of the current config, not those found at the start',
  async () => {
    const home = openHome();
    const own = serverFromFile(home.folder);
    own.offer({ tools: [tool('work')], version: 'own' });
    const { command, args } = own;
    const entry = { command, args };
    const file = home.write('servers.json', { mcpServers: { one: entry, '': entry } });
    const gateway = await start(home, file);
    const problems = async () => {
      const status = await gateway.request('resources/read', { uri: 'switchboard://status' });
      return JSON.parse(status.result.contents[0].text).problems.join('\n');
    };
    expect(await problems()).toContain('needs a name');
    home.write('servers.json', { mcpServers: { one: entry } });
    await expect.poll(problems).toBe('');
    rmSync(file);
    await expect.poll(problems).toContain('does not exist');
    expect(await problems()).not.toContain('empty');
    await end(gateway);
  },
  LONG,
);

test(
  'a failed reload names the file that cannot be used, and names it once',
  async () => {
    const home = openHome();
    const own = serverFromFile(home.folder);
    own.offer({ tools: [tool('work')], version: 'own' });
    const { command, args } = own;
    const first = home.write('first.json', { mcpServers: { one: { command, args } } });
    const second = home.write('second.json', { mcpServers: {} });
    const gateway = await start(home, first, '--config', second);
    rmSync(second);
    const problem = `${second}: This file, named by --config, does not exist.`;
    await says(gateway, `[switchboard] ${problem} The servers remain unchanged.`);
    const status = await gateway.request('resources/read', { uri: 'switchboard://status' });
    expect(JSON.parse(status.result.contents[0].text).problems).toEqual([problem]);
    await end(gateway);
  },
  LONG,
);

test(
  'the selected server is stopped when it is removed from the config',
  async () => {
    const home = openHome();
    const own = serverFromFile(home.folder);
    own.offer({ tools: [tool('work')], version: 'own' });
    const { command, args } = own;
    const file = home.write('servers.json', { mcpServers: { one: { command, args }, two: { command, args } } });
    const program = { command: process.execPath, args: [MAIN, 'gateway', '--config', file, '--only', 'one'] };
    const gateway = new CliProcess(program, processes, home.env(), home.folder);
    await gateway.initialize();
    await lists(gateway, 'one__work');
    home.write('servers.json', { mcpServers: { two: { command, args } } });
    await lists(gateway);
    await says(gateway, 'stopped one');
    await end(gateway);
  },
  LONG,
);

test(
  'a broken file keeps its entries: lower layers do not replace them, and revoked trust still applies',
  async () => {
    const home = openHome();
    const own = serverFromFile(home.folder);
    own.offer({ tools: [tool('work')], version: 'own' });
    const { command, args } = own;
    home.write('work/.mcp.json', {
      mcpServers: { off: { command, args, enabled: false }, project: { command, args } },
    });
    home.write('.codex/.mcp.json', { mcpServers: { off: { command, args }, codex: { command, args } } });
    const cwd = join(home.folder, 'work');
    expect((await run(['trust', '--yes'], { env: home.env(), cwd })).status).toBe(0);
    const gateway = new CliProcess({ command: process.execPath, args: [MAIN, 'gateway'] }, processes, home.env(), cwd);
    await gateway.initialize();
    await lists(gateway, 'project__work', 'codex__work');
    home.write('work/.mcp.json', '{ broken');
    await says(gateway, 'Its servers remain unchanged');
    expect(await names(gateway)).toEqual(['project__work', 'codex__work']);
    expect((await run(['untrust'], { env: home.env(), cwd })).status).toBe(0);
    await says(gateway, 'stopped project');
    await says(gateway, 'project is not started: untrusted');
    await end(gateway);
  },
  LONG,
);

test(
  'a secret added by a config change is redacted like earlier ones',
  async () => {
    const { file, gateway } = await setUp();
    const value = 'quite-secret-value-7';
    const tells = "console.error('cannot use ' + process.env.MY_VALUE); process.exit(3)";
    const entry = { command: process.execPath, args: ['-e', tells], env: { MY_VALUE: value } };
    writeFileSync(file, toConfig([['tells', entry]]));
    await says(gateway, 'started tells');
    const status = async () => {
      const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
      return String(result.contents[0].text);
    };
    await expect.poll(status).toContain('cannot use ***');
    expect(await status()).not.toContain(value);
    expect(gateway.stderr).not.toContain(value);
    await end(gateway);
  },
  LONG,
);
