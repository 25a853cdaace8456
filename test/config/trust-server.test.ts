import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trust } from '../../src/cli/trust/command.ts';
import { openPinStore, type PinRecord, type PinStore } from '../../src/config/trust/pin-store.ts';
import { type Folder, useFolders } from './folder.ts';

const newFolder = useFolders();
const GLOBAL = 'home/.config/switchboard/config.json';
const entries = { fetch: { command: 'uvx', pin: true }, plain: { command: 'x' } };

describe('switchboard trust <server>', () => {
  test('refuses an unknown name and lists the known names', async () => {
    const { folder } = withPins();
    await expect(run(folder, ['fetsh'])).rejects.toMatchObject({
      code: 'USAGE',
      message:
        `This is not a folder: ${folder.path}/project/fetsh. There is no server fetsh (configured: fetch, plain). ` +
        'Usage: switchboard trust [dir] [--yes] [--json], or switchboard trust <server> [--config file] [--yes] [--json]',
      data: { unknown: 'fetsh', known: ['fetch', 'plain'] },
    });
    await expect(run(newFolder(), ['fetsh'])).rejects.toMatchObject({
      message: expect.stringContaining('There is no server fetsh: no server is configured.'),
    });
  });

  test.each([
    [['fetch', '--force'], 'There is no option --force.'],
    [['--', '-x'], 'There is no server -x (configured: fetch, plain).'],
    [['--config', 'x.json'], '--config requires the name of a server.'],
    [['fetch', '--config'], '--config needs a file.'],
    [['fetch', '--config='], '--config needs a file.'],
  ])('refuses %j', async (args, message) => {
    const { folder } = withPins();
    await expect(run(folder, args)).rejects.toMatchObject({ code: 'USAGE', message: expect.stringContaining(message) });
  });

  test('fails if the file given with --config cannot be read', async () => {
    const { folder } = withPins();
    await expect(run(folder, ['fetch', '--config', 'nowhere.json'])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('trusts nothing when the store is damaged, and does not change it', async () => {
    const { folder } = withPins();
    const store = folder.write('home/.local/share/switchboard/pins.json', '{ "version": 9 }');
    await expect(run(folder, ['fetch'])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(store, 'utf8')).toBe('{ "version": 9 }');
  });

  test('shows the differences, trusts them, and says so', async () => {
    const { folder, file, store, record } = withPins();
    const { answers, complaints } = await run(folder, ['fetch', '--yes']);
    expect(answers).toEqual([
      [
        `fetch, ${file}:5`,
        '  read: description: "Reads" -> "Reads and sends"',
        '  "odd\\u202e\\u001b[2K": new',
        '  __proto__: new',
      ].join('\n'),
      '\nTrusted 3 changed tools of fetch; a running gateway offers them within a second.',
    ]);
    expect(complaints).toEqual([]);
    const tools = Object.fromEntries([
      ['read', 'hash-2'],
      ['kept', 'hash-0'],
      ['odd\u202e\u001b[2K', 'hash-3'],
      ['__proto__', 'hash-4'],
    ]);
    const now = store.read(file, 'fetch');
    expect([Object.entries(now?.tools ?? {}), now?.pending]).toEqual([Object.entries(tools), {}]);
    expect(record.pending).not.toEqual({});
    expect((await run(folder, ['fetch', '--yes'])).answers).toEqual([
      'Nothing to trust: no tool of fetch is quarantined.',
    ]);
  });

  test('trusts nothing without a terminal or --yes', async () => {
    const { folder, file, store, record } = withPins();
    const refusal = { code: 'DENIED', message: expect.stringContaining('or run it with --yes') };
    await expect(run(folder, ['fetch'])).rejects.toMatchObject(refusal);
    await expect(run(folder, ['fetch', '--json'])).rejects.toMatchObject(refusal);
    expect(Object.keys(store.read(file, 'fetch')?.pending ?? {})).toEqual(Object.keys(record.pending));
  });

  test('uses the singular for one tool', async () => {
    const { folder, store, record } = withPins();
    store.write({ ...record, pending: { read: { hash: 'x', difference: 'new' } } });
    expect((await run(folder, ['fetch', '--yes'])).answers[1]).toContain('Trusted 1 changed tool of fetch;');
  });

  test('prints one exact and escaped document with --json', async () => {
    const { folder, file } = withPins();
    const { answers } = await run(folder, ['--json', 'fetch', '--yes']);
    expect(answers[0]).toMatch(/^[\x20-\x7e]*$/);
    expect(answers.map((answer) => JSON.parse(answer))).toEqual([
      {
        server: 'fetch',
        file,
        trusted: [
          { tool: 'read', difference: 'description: "Reads" -> "Reads and sends"' },
          { tool: 'odd\u202e\u001b[2K', difference: 'new' },
          { tool: '__proto__', difference: 'new' },
        ],
      },
    ]);
    const again = (await run(folder, ['--json', 'fetch', '--yes'])).answers;
    expect(again.map((answer) => JSON.parse(answer))).toEqual([{ server: 'fetch', file, trusted: [] }]);
  });

  test('explains why no tool of a server is quarantined', async () => {
    const { folder } = withPins();
    expect((await run(folder, ['plain'])).answers).toEqual([
      'Nothing to trust: no tool of plain is quarantined. Tools are quarantined only if plain has "pin": true in its file.',
    ]);
    folder.write('project/.mcp.json', { mcpServers: { new: { command: 'x', pin: true } } });
    expect((await run(folder, ['new'])).answers).toEqual([
      `Nothing to trust: no tool of new is quarantined. The server itself is not started: untrusted: run switchboard trust ${folder.path}/project.`,
    ]);
  });

  test('reads only the file that --config names', async () => {
    const { folder, record, store } = withPins();
    const file = folder.write('project/own.json', { mcpServers: { fetch: { command: 'x' }, mine: { command: 'y' } } });
    store.write({ ...record, file, id: 'mine' });
    const { answers } = await run(folder, ['mine', '--yes', '--config', 'own.json', '--json']);
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ server: 'mine', file });
    await expect(run(folder, ['plain', '--config=own.json'])).rejects.toMatchObject({
      message: expect.stringMatching(/^There is no server plain \(configured: fetch, mine\)\./),
    });
  });

  test('finds a server regardless of MCP_WRAPPER_SERVER_NAME', async () => {
    const { folder } = withPins();
    const { answers } = await run(folder, ['fetch', '--yes'], { MCP_WRAPPER_SERVER_NAME: 'plain' });
    expect(answers[1]).toContain('Trusted 3 changed tools of fetch');
  });
});

describe('an argument that could be a folder', () => {
  test('is the folder if no server has that name', async () => {
    const { folder } = withPins();
    folder.write('project/sub/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    expect((await run(folder, ['sub', '--yes'])).answers[0]).toContain('a, ');
  });

  test('is the server if both exist, with a hint on how to name the folder', async () => {
    const { folder } = withPins();
    folder.write('project/fetch/.mcp.json', { mcpServers: { a: { command: 'a' } } });
    const { answers, complaints } = await run(folder, ['fetch', '--yes']);
    expect(answers[1]).toContain('Trusted 3 changed tools of fetch');
    expect(complaints).toEqual([
      'fetch is both a server and a folder: using the server. For the folder, write ./fetch.',
    ]);
    expect((await run(folder, ['./fetch', '--yes'])).answers[0]).toContain('a, ');
  });

  test('needs no usable config', async () => {
    const folder = newFolder();
    mkdirSync(join(folder.path, 'project/sub'));
    const { answers } = await run(folder, ['sub'], { CODEX_MCP_WRAPPER_CONFIG: '/nowhere.json' });
    expect(answers[0]).toContain('Nothing to trust: ');
    await expect(run(folder, ['word'], { CODEX_MCP_WRAPPER_CONFIG: '/nowhere.json' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
  });
});

interface Pinned {
  readonly folder: Folder;
  readonly file: string;
  readonly store: PinStore;
  readonly record: PinRecord;
}

/** Leaves three tools of `fetch` pending. */
function withPins(): Pinned {
  const folder = newFolder();
  const file = folder.write(GLOBAL, { version: 1, mcp: { servers: entries } });
  const store = openPinStore(folder.testEnvironment());
  const record: PinRecord = {
    file,
    id: 'fetch',
    tools: { read: 'hash-1', kept: 'hash-0' },
    pending: Object.fromEntries([
      ['read', { hash: 'hash-2', difference: 'description: "Reads" -> "Reads and sends"' }],
      ['odd\u202e\u001b[2K', { hash: 'hash-3', difference: 'new' }],
      ['__proto__', { hash: 'hash-4', difference: 'new' }],
    ]),
  };
  store.write(record);
  return { folder, file, store, record };
}

async function run(folder: Folder, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const answers: string[] = [];
  const complaints: string[] = [];
  const output = {
    answer: (text: string) => void answers.push(text),
    report: (text: string) => void complaints.push(text),
  };
  await trust(args, { output, env, cwd: join(folder.path, 'project'), home: folder.home });
  return { answers, complaints };
}
