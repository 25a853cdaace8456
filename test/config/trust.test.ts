import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/config/files/folders.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { untrustProject } from '../../src/config/trust/trust-project.ts';
import { acceptReview, reviewProject, type TrustReview } from '../../src/config/trust/trust-review.ts';
import { verifies } from '../verifies.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();
const STORE = 'home/.local/share/switchboard/trust.json';

// biome-ignore lint/suspicious/noTemplateCurlyInString: the file contains exactly this text
const SECRET = '${SECRET}';

const full = {
  command: 'run',
  args: ['a', 'b'],
  cwd: 'sub',
  env: { KEY: SECRET, OTHER: 'x' },
  env_vars: ['TOKEN'],
  timeout: 1000,
};
const remote = {
  url: 'https://example.com/mcp',
  headers: { Authorization: 'Bearer x' },
  header_env: { 'X-Key': 'KEY' },
  bearer_token_env_var: 'TOKEN',
  oauth: {
    authorization_url: 'https://example.com/a',
    token_url: 'https://example.com/t',
    registration_url: 'https://example.com/r',
  },
};

describe('trust in a project', () => {
  test('starts only the trusted entries', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    folder.write('project/.switchboard/config.json', { version: 1, mcp: { servers: { b: { command: 'x' } } } });
    folder.write('.mcp.json', [{ name: 'c', command: 'y' }]);
    expect(await states(folder.testEnvironment())).toEqual({ a: 'untrusted', b: 'untrusted', c: 'untrusted' });
    const report = trustIn(folder.testEnvironment());
    expect(report.entries.map(({ id, wasTrusted }) => [id, wasTrusted])).toEqual([
      ['b', false],
      ['a', false],
      ['c', false],
    ]);
    expect(await states(folder.testEnvironment())).toEqual({ a: 'usable', b: 'usable', c: 'usable' });
    expect(trustIn(folder.testEnvironment()).entries.every(({ wasTrusted }) => wasTrusted)).toBe(true);
  });

  test('of a folder covers what a process in that folder would read', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    folder.write('project/sub/.mcp.json', { mcpServers: { b: full } });
    trustIn(folder.testEnvironment());
    expect(await states(folder.testEnvironment({}, 'project/sub'))).toEqual({ a: 'usable', b: 'untrusted' });
  });

  verifies(
    'config:layers:trust-bound',
    'ends with any change to what is started or sent, or to its location',
    async () => {
      const changes: readonly object[] = [
        ...[
          { command: 'other' },
          { args: ['a', 'c'] },
          { args: ['ab'] },
          { args: ['a'] },
          { cwd: 'other' },
          { cwd: undefined },
        ],
        ...[{ env: { KEY: 'other', OTHER: 'x' } }, { env: { KEY: SECRET, NEW: 'x' } }, { env: { KEY: SECRET } }],
        ...[{ env_vars: [] }, { env_vars: ['TOKEN', 'MORE'] }, { inherit_env: true }],
      ];
      for (const change of changes) expect(await afterChange(full, { ...full, ...change })).toBe('untrusted');
      const remoteChanges: readonly object[] = [
        ...[
          { url: 'https://example.org/mcp' },
          { headers: { Authorization: 'Bearer y' } },
          { headers: {} },
          { oauth: undefined },
        ],
        ...[
          { headers: { authorization: 'Bearer x' } },
          { oauth: { ...remote.oauth, token_url: 'https://example.org/t' } },
        ],
        ...[{ oauth: { ...remote.oauth, authorization_url: 'https://example.org/a' } }],
        ...[{ oauth: { ...remote.oauth, registration_url: 'https://example.org/r' } }],
        ...[{ oauth: { ...remote.oauth, client_secret_env: 'SECRET' } }],
        ...[{ header_env: {} }, { header_env: { 'X-Key': 'OTHER' } }, { header_env: { 'X-Other': 'KEY' } }],
        ...[{ bearer_token_env_var: 'OTHER' }, { bearer_token_env_var: undefined }, { shareSignIn: true }],
      ];
      for (const change of remoteChanges) expect(await afterChange(remote, { ...remote, ...change })).toBe('untrusted');
    },
  );

  test('survives changes that do not affect what is started or sent', async () => {
    const reordered = Object.fromEntries(Object.entries(full).reverse());
    expect(await afterChange(full, { ...reordered, env: { OTHER: 'x', KEY: SECRET } })).toBe('usable');
    expect(await afterChange(full, { ...full, timeout: 5, disabled_tools: ['x'], comment: 'new' })).toBe('usable');
    expect(await afterChange(full, { ...full, start: 'lazy', pin: true, restart: 'stop-first' })).toBe('usable');
    expect(await afterChange({ ...full, pin: true }, { ...full, pin: false })).toBe('usable');
    expect(await afterChange(remote, { ...remote, shareSignIn: false })).toBe('usable');
  });

  test('applies to one name, one file and one dialect', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    trustIn(folder.testEnvironment());
    folder.write('project/.mcp.json', { mcpServers: { b: full } });
    expect(await states(folder.testEnvironment())).toEqual({ b: 'untrusted' });
    folder.write('project/.mcp.json', { mcp: { servers: { a: full } } });
    expect(await states(folder.testEnvironment())).toEqual({ a: 'untrusted' });
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    expect(await states(folder.testEnvironment())).toEqual({ a: 'usable' });
    renameSync(join(folder.path, 'project'), join(folder.path, 'moved'));
    expect(await states(folder.testEnvironment({}, 'moved'))).toEqual({ a: 'untrusted' });
  });

  test('applies whichever path leads to the file', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    symlinkSync(join(folder.path, 'project'), join(folder.path, 'link'));
    trustIn(folder.testEnvironment({}, 'link'));
    expect(await states(folder.testEnvironment())).toEqual({ a: 'usable' });
  });

  test('is removed for a deleted entry when the rest is trusted again', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full, b: full } });
    trustIn(folder.testEnvironment());
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    trustIn(folder.testEnvironment());
    folder.write('project/.mcp.json', { mcpServers: { a: full, b: full } });
    expect(await states(folder.testEnvironment())).toEqual({ a: 'usable', b: 'untrusted' });
  });

  test('includes an entry that only disables a server', async () => {
    const folder = newFolder();
    folder.write('project/.switchboard/config.json', { version: 1, mcp: { servers: { a: { enabled: false } } } });
    folder.write('home/.codex/.mcp.json', { mcpServers: { a: full } });
    expect(await states(folder.testEnvironment())).toEqual({ a: 'usable' });
    trustIn(folder.testEnvironment());
    expect(await states(folder.testEnvironment())).toEqual({ a: 'disabled' });
    folder.write('project/.switchboard/config.json', { version: 1, mcp: { servers: { a: { command: 'evil' } } } });
    expect(await states(folder.testEnvironment())).toEqual({ a: 'usable' });
  });

  test('is not given to invalid entries', () => {
    const folder = newFolder();
    const file = folder.write(
      'project/.mcp.json',
      '{ "mcpServers": {\n "a": { "command": 1 },\n "b": { "command": "x" } } }',
    );
    const outer = folder.write('.mcp.json', '{');
    const report = trustIn(folder.testEnvironment());
    expect(report.entries.map(({ id }) => id)).toEqual(['b']);
    expect(report.problems).toMatchObject([
      { file, line: 2, message: 'mcpServers.a.command must be a string, but is a number.' },
      { file: outer, line: 1 },
    ]);
  });

  test('does not change in other projects', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    folder.write('other/.mcp.json', { mcpServers: { b: full } });
    trustIn(folder.testEnvironment());
    trustIn(folder.testEnvironment({}, 'other'));
    expect(untrustIn(folder.testEnvironment()).forgotten).toMatchObject([{ id: 'a' }]);
    expect(await states(folder.testEnvironment())).toEqual({ a: 'untrusted' });
    expect(await states(folder.testEnvironment({}, 'other'))).toEqual({ b: 'usable' });
  });
});

describe('untrust', () => {
  test('works after the files are deleted, and only once', () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    trustIn(folder.testEnvironment());
    renameSync(join(folder.path, 'project'), join(folder.path, 'gone'));
    const file = join(folder.path, 'project/.mcp.json');
    expect(untrustIn(folder.testEnvironment()).forgotten).toMatchObject([{ id: 'a', file }]);
    expect(untrustIn(folder.testEnvironment()).forgotten).toEqual([]);
  });

  test('creates no store if there is none', () => {
    const folder = newFolder();
    expect(untrustIn(folder.testEnvironment())).toEqual({ forgotten: [] });
    expect(existsSync(join(folder.path, STORE))).toBe(false);
  });
});

describe('the store', () => {
  test('is readable only by its owner, in its own folder, and leaves no temporary files', () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    trustIn(folder.testEnvironment());
    trustIn(folder.testEnvironment());
    const store = join(folder.path, STORE);
    expect(modeOf(store)).toBe('600');
    expect(modeOf(join(store, '..'))).toBe('700');
    expect(readdirSync(join(store, '..'))).toEqual(['trust.json']);
  });

  test('contains no secret, and the key stays the same', () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: { ...full, env: { KEY: 'the secret' } } } });
    trustIn(folder.testEnvironment());
    const first = JSON.parse(readFileSync(join(folder.path, STORE), 'utf8'));
    trustIn(folder.testEnvironment());
    const second = JSON.parse(readFileSync(join(folder.path, STORE), 'utf8'));
    expect(second).toEqual(first);
    const file = join(folder.path, 'project/.mcp.json');
    expect(first).toEqual({
      version: 1,
      key: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      entries: [{ file, id: 'a', fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) }],
    });
  });

  test('is bound to its key: fingerprints are not portable between users', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    trustIn(folder.testEnvironment());
    const stored = JSON.parse(readFileSync(join(folder.path, STORE), 'utf8'));
    folder.write(STORE, { ...stored, key: Buffer.alloc(32, 1).toString('base64') });
    expect(await states(folder.testEnvironment())).toEqual({ a: 'untrusted' });
  });

  test('is located by SWITCHBOARD_HOME, XDG_DATA_HOME or the platform', () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    const places: [string, Partial<Environment>][] = [
      ['one/trust.json', { env: { SWITCHBOARD_HOME: join(folder.path, 'one') } }],
      ['xdg/switchboard/trust.json', { env: { XDG_DATA_HOME: join(folder.path, 'xdg') } }],
      ['home/Library/Application Support/switchboard/trust.json', { platform: 'darwin' }],
    ];
    for (const [name, options] of places) {
      trustIn({ ...folder.testEnvironment(), ...options });
      expect(existsSync(join(folder.path, name))).toBe(true);
    }
  });

  test.each([
    [
      'with a newer version',
      { version: 2, key: 'x', entries: [] },
      'This is version 2, but this Switchboard supports only 1. Update Switchboard.',
    ],
    [
      'without a version',
      { entries: [] },
      'The file is damaged: its version is missing. Remove it, then trust your projects again.',
    ],
    [
      'with missing members',
      { version: 1 },
      'The file is damaged: it is incomplete. Remove it, then trust your projects again.',
    ],
    [
      'with an invalid key',
      { version: 1, key: 'eA==', entries: [] },
      'The file is damaged: its key has the wrong length. Remove it, then trust your projects again.',
    ],
    [
      'with an invalid entry',
      { version: 1, key: Buffer.alloc(32).toString('base64'), entries: [{}] },
      'The file is damaged: an entry is incomplete. Remove it, then trust your projects again.',
    ],
    [
      'with a list that is not an array',
      { version: 1, key: Buffer.alloc(32).toString('base64'), entries: 5 },
      'entries must be a list, but is a number.',
    ],
    ['that is truncated', '{ "version": 1, "ke', 'Not JSON at column 20: the file ends inside a string.'],
  ])('%s trusts nothing, is reported, and is never overwritten', async (_, content, message) => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    const store = folder.write(STORE, content);
    const before = readFileSync(store, 'utf8');
    const { servers, problems } = await loadConfig(folder.testEnvironment());
    expect(servers).toMatchObject([{ id: 'a', verdict: { isUntrusted: true } }]);
    expect(problems).toMatchObject([{ file: store, message }]);
    const refusal = expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
    expect(() => trustIn(folder.testEnvironment())).toThrow(refusal);
    expect(() => untrustIn(folder.testEnvironment())).toThrow(refusal);
    expect(readFileSync(store, 'utf8')).toBe(before);
  });

  test('reports a failed write', () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    // Even the superuser cannot create a folder inside a file.
    folder.write('home/.local/share/switchboard', 'a file');
    expect(() => trustIn(folder.testEnvironment())).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('trust.json: Trust cannot be stored: '),
      }),
    );
  });

  test('keeps the mode of an existing folder', () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', { mcpServers: { a: full } });
    const home = join(folder.path, 'one');
    mkdirSync(home);
    chmodSync(home, 0o755);
    trustIn(folder.testEnvironment({ SWITCHBOARD_HOME: home }));
    expect(modeOf(home)).toBe('755');
    expect(modeOf(join(home, 'trust.json'))).toBe('600');
  });

  test('is not created for a project without entries', () => {
    const folder = newFolder();
    expect(trustIn(folder.testEnvironment())).toEqual({ entries: [], views: [], problems: [] });
    expect(existsSync(join(folder.path, STORE))).toBe(false);
  });
});

/** For the current project. */
function trustIn(testEnvironment: Environment): Omit<TrustReview, 'files'> {
  const { files, ...report } = reviewProject({ ...testEnvironment, dir: testEnvironment.cwd });
  acceptReview({ files }, testEnvironment);
  return report;
}

function untrustIn(testEnvironment: Environment): ReturnType<typeof untrustProject> {
  return untrustProject({ ...testEnvironment, dir: testEnvironment.cwd });
}

/** Trusts a project, changes its entry, and returns the verdict on the changed entry. */
async function afterChange(before: object, after: object): Promise<string | undefined> {
  const folder = newFolder();
  folder.write('project/.mcp.json', { mcpServers: { a: before } });
  trustIn(folder.testEnvironment());
  const was = (await states(folder.testEnvironment()))['a'];
  if (was === 'untrusted') throw new Error('it was not trusted in the first place');
  folder.write('project/.mcp.json', { mcpServers: { a: after } });
  return (await states(folder.testEnvironment()))['a'];
}

async function states(testEnvironment: Environment): Promise<Readonly<Record<string, string>>> {
  const { servers } = await loadConfig(testEnvironment);
  return Object.fromEntries(
    servers.map(({ id, verdict }) => [
      id,
      verdict.kind === 'disabled' && verdict.isUntrusted ? 'untrusted' : verdict.kind,
    ]),
  );
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}
