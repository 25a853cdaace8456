import { expect, test } from 'vitest';
import { recordAfter } from './apply-import.ts';
import type { FoundFile, FoundServer } from './find-servers.ts';
import type { PlannedServer } from './plan-import.ts';

const PLACE = { client: 'cursor', title: 'Cursor', file: '/home/me/.cursor/mcp.json' } as const;

function found(name: string, more: Partial<FoundServer> = {}): FoundServer {
  return { ...PLACE, name, line: 1, project: undefined, entry: { command: 'x' }, notCarried: [], ...more };
}

function planned(id: string, server: FoundServer, more: Partial<PlannedServer> = {}): PlannedServer {
  const source = {
    layer: 'global',
    file: '/c',
    needsTrust: false,
    isSwitchboardFile: true,
    namedBy: undefined,
  } as const;
  const common = { duplicates: [], isEnabled: true, secrets: [], inline: [], source, entry: server.entry };
  return { ...common, id, server, action: 'added', fault: undefined, missing: [], ...more };
}

test('records the servers that the client gets from us, under its own names', () => {
  const servers = [
    planned('notes', found('my notes'), { duplicates: [found('notes again')] }),
    planned('kept', found('kept'), { action: 'kept' }),
    planned('off', found('off', { entry: { command: 'x', enabled: false } })),
    planned('local', found('local', { project: '/project' })),
    planned('other', found('other', { client: 'zed' })),
    planned('conflict', found('conflict'), { action: 'conflict' }),
  ];
  const own = servers.flatMap(({ server, duplicates }) => [server, ...duplicates]);
  const file: FoundFile = { ...PLACE, servers: own.filter(({ client }) => client === 'cursor'), skipped: [] };
  const before = { imported: ['earlier'], shared: ['extra'], seen: ['earlier'], names: { earlier: 'earlier' } };
  expect(recordAfter('cursor', { before, files: [file], servers })).toEqual({
    imported: ['earlier', 'notes', 'kept'],
    shared: ['extra'],
    seen: ['earlier', 'my notes', 'notes again', 'kept', 'off', 'local', 'conflict'],
    names: { earlier: 'earlier', 'my notes': 'notes', 'notes again': 'notes', kept: 'kept' },
  });
});
