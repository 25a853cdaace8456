import { describe, expect, test } from 'vitest';
import { serverEntry, stdioSettings } from '../../../test/config/server-entry.ts';
import type { HttpSettings, ServerEntry, StdioSettings } from '../server-entry.ts';
import { compareEntries } from './compare-entries.ts';

const stdio = stdioSettings({ command: 'npx', args: ['-y', 'x'], env: { A: '1', B: '2' }, envVars: ['TOKEN'] });
const oauth = {
  ...{ authorizationUrl: 'https://a/a', tokenUrl: undefined, registrationUrl: undefined },
  ...{ clientId: 'id', clientSecret: 'secret', clientSecretEnv: undefined, scope: undefined },
};
const http: HttpSettings = {
  ...{ kind: 'http', url: 'https://a/b', headers: { Authorization: 'x' }, oauth },
  ...{ headerEnv: { 'X-Key': 'KEY' }, bearerTokenEnv: undefined, isSse: false },
};

function entryOf(change: Partial<ServerEntry> = {}): ServerEntry {
  return serverEntry({
    id: 'a',
    origin: { layer: 'global', file: '/home/me/config.json', line: 3 },
    transport: stdio,
    ...change,
  });
}

const originOf = (layer: ServerEntry['origin']['layer'], file: string, line = 1) => ({ origin: { layer, file, line } });

describe('a different server', () => {
  const changes: readonly Partial<StdioSettings>[] = [
    ...[{ command: 'uvx' }, { args: ['-y'] }, { args: ['x', '-y'] }, { cwd: '/tmp' }],
    ...[{ env: { A: '1' } }, { env: { A: '1', B: '3' } }, { env: {} }],
    ...[{ envVars: [] }, { inheritEnv: true }, { framing: 'content-length' as const }],
  ];
  test.each(changes)('results from %j', (change) => {
    expect(compareEntries(entryOf(), entryOf({ transport: { ...stdio, ...change } }))).toBe('server');
  });

  const httpChanges: readonly Partial<HttpSettings>[] = [
    { url: 'https://a/c' },
    { headers: {} },
    { headers: { Authorization: 'y' } },
    { oauth: undefined },
    { oauth: { ...oauth, clientSecret: 'other' } },
    { oauth: { ...oauth, clientSecretEnv: 'OTHER' } },
    { headerEnv: {} },
    { headerEnv: { 'X-Key': 'OTHER' } },
    { bearerTokenEnv: 'TOKEN' },
    { isSse: true },
  ];
  test.each(httpChanges)('results from %j', (change) => {
    const before = entryOf({ transport: http });
    expect(compareEntries(before, entryOf({ transport: { ...http, ...change } }))).toBe('server');
  });

  test('results from another transport, from other variable expansion, and from both kinds of change at once', () => {
    expect(compareEntries(entryOf(), entryOf({ transport: http }))).toBe('server');
    expect(compareEntries(entryOf(), entryOf({ expandsVariables: false }))).toBe('server');
    expect(compareEntries(entryOf(), entryOf({ pin: true, transport: { ...stdio, args: [] } }))).toBe('server');
  });

  test('results from a move to another folder, if the server runs there', () => {
    const near = originOf('mcp-json', '/project/.mcp.json');
    expect(compareEntries(entryOf(near), entryOf(originOf('mcp-json', '/.mcp.json')))).toBe('server');
    expect(compareEntries(entryOf(near), entryOf(originOf('global', '/home/me/config.json')))).toBe('server');
    const relative = { transport: { ...stdio, cwd: 'sub' } };
    const moved = entryOf({ ...relative, ...originOf('codex', '/home/me/.codex/.mcp.json') });
    expect(compareEntries(entryOf(relative), moved)).toBe('server');
  });

  test('result from another way to share its processes', () => {
    expect(compareEntries(entryOf(), entryOf({ share: 'client' }))).toBe('server');
  });
});

describe('different settings', () => {
  const changes: readonly Partial<ServerEntry>[] = [
    ...[{ tools: { allow: [], deny: [] } }, { tools: { allow: undefined, deny: ['x'] } }],
    ...[{ startupTimeoutMs: 1 }, { requestTimeoutMs: 1 }],
    ...[{ sharesSignIn: true }],
    ...[{ start: 'lazy' as const }, { pin: true }, { restart: 'stop-first' as const }],
  ];
  test.each(changes)('result from %j', (change) => {
    expect(compareEntries(entryOf(), entryOf(change))).toBe('settings');
    expect(compareEntries(entryOf(change), entryOf())).toBe('settings');
  });
});

describe('the same entry', () => {
  test('may be at another line, or have its variables in another order', () => {
    expect(compareEntries(entryOf(), entryOf(originOf('global', '/home/me/config.json', 99)))).toBe('same');
    expect(compareEntries(entryOf(), entryOf({ transport: { ...stdio, env: { B: '2', A: '1' } } }))).toBe('same');
  });

  test('may be in another file, if the folder of the file does not matter', () => {
    const elsewhere = originOf('codex', '/home/me/.codex/.mcp.json');
    expect(compareEntries(entryOf(), entryOf(elsewhere))).toBe('same');
    for (const cwd of ['/srv', '~', '~/x']) {
      const fixed = { transport: { ...stdio, cwd } };
      const project = originOf('mcp-json', '/project/.mcp.json');
      expect(compareEntries(entryOf(fixed), entryOf({ ...fixed, ...project }))).toBe('same');
    }
    const own = originOf('project', '/project/.switchboard/config.json');
    expect(compareEntries(entryOf(own), entryOf(originOf('mcp-json', '/project/.mcp.json')))).toBe('same');
  });
});
