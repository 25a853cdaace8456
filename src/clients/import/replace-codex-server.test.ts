import { expect, test } from 'vitest';
import type { ForeignServer } from '../../config/foreign/foreign-server.ts';
import { replaceCodexServers } from './replace-codex-server.ts';

const ENVIRONMENT = { env: { SWITCHBOARD_HOME: '/own' }, home: '/home/me', cwd: '/work', platform: 'linux' } as const;

function found(name: string, args: readonly string[], more: object = {}): ForeignServer {
  return {
    name,
    line: 3,
    project: undefined,
    entry: { transport: 'stdio', command: 'codex', args, ...more },
    notCarried: [],
  };
}

test('replaces the server that Codex removed, and keeps the other settings', () => {
  const other = found('other', ['mcp', 'list']);
  const { servers, skipped } = replaceCodexServers(
    { servers: [found('agent', ['mcp-server'], { env: { A: '1' } }), other], skipped: [] },
    ENVIRONMENT,
  );
  expect(servers).toEqual([
    {
      ...found('agent', []),
      entry: { transport: 'stdio', command: '/own/bin/switchboard', args: ['codex', 'mcp-server'], env: { A: '1' } },
      notCarried: [{ key: 'command', reason: expect.stringContaining('switchboard codex replaces it') }],
    },
    other,
  ]);
  expect(skipped).toEqual([]);
});

test('skips one with options, and says how to add it without them', () => {
  const { servers, skipped } = replaceCodexServers(
    { servers: [found('agent', ['-c', 'model="x"', 'mcp-server'])], skipped: [] },
    ENVIRONMENT,
  );
  expect(servers).toEqual([]);
  expect(skipped).toEqual([{ name: 'agent', line: 3, reason: expect.stringContaining('switchboard add <id> --') }]);
});
