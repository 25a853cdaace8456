import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOnTerminal } from '../scripts/screens/pty.mjs';
import { findCodex } from './codex/codex-binary.ts';
import { createCodexHome } from './codex/home.ts';
import { openModel } from './codex/model.ts';
import { toolOutputs } from './codex/model-request.ts';
import { script } from './codex/script.ts';
import { openHttpFixture } from './fixtures/http/paths.ts';
import { trackProcesses } from './processes.ts';
import { CODEX, clientServers, listTools } from './setup/client-tools.ts';
import { type FiveClients, fiveClients, writeClients } from './setup/five-clients.ts';
import { filesOf } from './setup/testbed.ts';
import { modeOf } from './temporary-folder.ts';

/**
 * Does exactly what the quick start says, as a new user: packed package, empty npm cache, a home with five clients,
 * `npx switchboard` on a terminal, a call from the real Codex, `setup --undo`, `uninstall`. Prints what it measured.
 */
const root = join(import.meta.dirname, '..');
const processes = trackProcesses();
// Not in a temporary folder, where Codex refuses to keep its home.
let folder = '';
let tarball = '';

beforeAll(() => {
  folder = realpathSync(mkdtempSync('/var/tmp/switchboard-quick-start-'));
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  tarball = join(folder, packed.trim());
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LIMIT_MS = 600_000;
const GOAL_SECONDS = 90;

test(
  'a new user comes from npx to the first call of Codex, and back to where the home was before',
  async () => {
    await using model = await openModel();
    await using codexHome = await createCodexHome({ modelUrl: model.url });
    const web = await openHttpFixture('well-behaved', { env: processes.env() });
    const home = join(folder, 'home');
    const codexSettings = readFileSync(join(codexHome.codexDir, 'config.toml'), 'utf8');
    const clients = fiveClients({ home, url: web.url, codexSettings });
    writeClients(home, clients);
    mkdirSync(join(folder, 'work'));
    const env = userEnvironment(home, clients);
    const before = filesOf({ folder: home });
    const modes = modesOf(home, before);
    const direct = await toolsOfClients(clients, { home, env });

    const started = performance.now();
    const run = await setUpOnTerminal(env);
    const setUpMs = performance.now() - started;
    // Before the first conversation of Codex, which would cache the lists of its servers.
    const connected = await toolsOfClients(clients, { home, env });
    const firstCall = performance.now();
    const output = await callFromCodex(model, env);
    const seconds = (setUpMs + performance.now() - firstCall) / 1000;
    expect(output).toEqual([expect.stringMatching(/\{\\?"sum\\?":23\}/)]);
    expect(connected.tools).toEqual(direct.tools);
    for (const tools of Object.values(connected.tools)) expect(new Set(tools).size).toBe(tools.length);
    const working = Object.keys(direct.works).filter((id) => direct.works[id]);
    const first = working.filter((id) => new RegExp(`✓ ${id} `).test(run.shown));
    expect(first).toEqual(working);

    const undone = await npx(['setup', '--undo', '--yes'], env);
    expect(undone).toMatchObject({ status: 0 });
    expect(ownFiles(filesOf({ folder: home }))).toEqual(ownFiles(before));
    expect(await npx(['uninstall', '--yes'], env)).toMatchObject({ status: 0 });
    const after = filesOf({ folder: home });
    expect(withoutCodex(after)).toEqual(withoutCodex(before));
    expect(after['.codex/config.toml']).toBe(before['.codex/config.toml']);
    expect(modesOf(home, before)).toEqual(modes);
    const ours = ['.config/switchboard', '.local/share/switchboard', '.cache/switchboard'];
    expect(ours.filter((name) => existsSync(join(home, name)))).toEqual([]);
    await web.close();
    print([
      [
        'npx to the first call of Codex',
        `${seconds.toFixed(1)} s, of which npm ${run.npmSeconds.toFixed(1)} s (goal: ${GOAL_SECONDS} s)`,
      ],
      ['keypresses', `${run.keypresses}, of which 1 for npx itself (goal: 3)`],
      ['edits', '0'],
      ...Object.entries(direct.tools).map(
        ([client, tools]) =>
          [
            `tools of ${client}, before and after`,
            `${tools.length} and ${connected.tools[client]?.length}, the same set`,
          ] as const,
      ),
      ['servers that work at the first try', `${first.length} of ${working.length} that work directly`],
      ['files after undo and uninstall', `${Object.keys(before).length}, all as before`],
    ]);
    expect(run.keypresses).toBeLessThanOrEqual(3);
  },
  LIMIT_MS,
);

/** The user's shell: a home, a PATH with Node, an empty npm cache, and two variables. */
function userEnvironment(home: string, { env }: FiveClients): Readonly<Record<string, string>> {
  return {
    ...env,
    HOME: home,
    PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CODEX_CLI_PATH: findCodex().command,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_update_notifier: 'false',
  };
}

/** Types `npx --package <tarball> switchboard` and answers every question with Enter. */
async function setUpOnTerminal(env: Readonly<Record<string, string>>) {
  const started = performance.now();
  let npmSeconds = 0;
  const steps = [
    { wait: /Ok to proceed\? \(y\) /, type: '\r' },
    {
      wait: /Found 12 servers in Codex, Claude Code, Cursor, VS Code and Gemini CLI\./,
      onReached: () => (npmSeconds = (performance.now() - started) / 1000),
    },
    { wait: /Set up now\? \[Y\/n\] /, type: '\r' },
    { wait: /Import 12 servers and connect all 5 clients\? \[Y\/n\/pick\/diff\] /, type: '\r' },
    { wait: /All 11 servers work\./ },
  ];
  const { status, text: shown } = await runOnTerminal(['npx', '--package', tarball, 'switchboard'], {
    cwd: join(folder, 'work'),
    env: { ...env },
    columns: 120,
    rows: 60,
    steps,
    withinMs: LIMIT_MS,
  });
  expect(status).toBe(0);
  return { shown, npmSeconds, keypresses: steps.filter(({ type }) => type !== undefined).length };
}

/** Lets the real Codex call an imported tool, and returns what the model got. */
async function callFromCodex(
  model: Awaited<ReturnType<typeof openModel>>,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const prompt = script([
    { mcp: { server: 'switchboard', tool: 'behaved__add', arguments: { a: 20, b: 3 } } },
    { message: 'done' },
  ]);
  const { command, args } = findCodex();
  const codex = spawn(command, [...args, 'exec', '--json', '--skip-git-repo-check', prompt], {
    cwd: join(folder, 'work'),
    env: { ...env, ...marksOf(processes.env()) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [status]] = await Promise.all([text(codex.stderr), once(codex, 'exit')]);
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolOutputs(last);
}

function marksOf(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.endsWith('_MARK')));
}

/** Lists the tools of every server that each client starts, under the name that our gateway gives them. */
async function toolsOfClients(
  { files, servers }: FiveClients,
  { home, env }: { readonly home: string; readonly env: Readonly<Record<string, string>> },
) {
  const works: Record<string, boolean> = {};
  const tools: Record<string, readonly string[]> = {};
  for (const [index, file] of Object.keys(files).entries()) {
    const client = Object.keys(servers)[index] ?? '';
    const listed = await Promise.all(
      clientServers(file, readFileSync(join(home, file), 'utf8'), env).map(async (server, position) => {
        const names = await listTools(server, env, client === 'codex' ? CODEX : undefined);
        if (server.name === 'switchboard') return names ?? [];
        const id = servers[client]?.[position] ?? server.name;
        works[id] = names !== undefined;
        return (names ?? []).map((name) => `${id}__${name}`);
      }),
    );
    tools[client] = listed.flat().sort();
  }
  return { tools, works };
}

async function npx(args: readonly string[], env: Readonly<Record<string, string>>) {
  const started = spawn('npx', ['--yes', '--package', tarball, 'switchboard', ...args], {
    cwd: join(folder, 'work'),
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [status]] = await Promise.all([
    text(started.stdout),
    text(started.stderr),
    once(started, 'exit'),
  ]);
  return { status, stdout, stderr };
}

/** Without the caches and what Codex keeps in its own home. */
function ownFiles(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(withoutCodex(files)).filter(([name]) => !name.startsWith('.cache/switchboard/')),
  );
}

function withoutCodex(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).filter(([name]) => !name.startsWith('.codex/')));
}

function modesOf(home: string, files: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(files).map((name) => `${modeOf(join(home, name))} ${name}`);
}

function print(rows: readonly (readonly [string, string])[]): void {
  const width = Math.max(...rows.map(([what]) => what.length));
  process.stdout.write(`\n${rows.map(([what, value]) => `${what.padEnd(width)}  ${value}`).join('\n')}\n\n`);
}
