import { expect, test } from 'vitest';
import type { FoundServer } from '../../clients/import/find-servers.ts';
import { foundTable } from './found-table.ts';

const found = (title: string): FoundServer => ({
  ...{ client: undefined, title, file: '/c.json', name: 'x', line: 1, entry: {} },
  ...{ project: undefined, notCarried: [] },
});
const candidate = (id: string, ...titles: readonly string[]) => {
  const [server = found(''), ...duplicates] = titles.map(found);
  return { id, server, duplicates, isEnabled: true };
};

test('shows each server with the clients that use it, aligned', () => {
  expect(foundTable([candidate('files', 'Codex', 'Cursor', 'Codex'), candidate('weather-api', 'Zed')])).toEqual([
    '  files        Codex, Cursor',
    '  weather-api  Zed',
  ]);
});

test('shows at most 20 servers', () => {
  const lines = foundTable(Array.from({ length: 25 }, (_, index) => candidate(`s${index}`, 'Codex')));
  expect([lines.length, lines.at(-1)]).toEqual([21, '  and 5 more']);
});

test('shows nothing without servers', () => {
  expect(foundTable([])).toEqual([]);
});
