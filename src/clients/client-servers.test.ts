import { expect, test } from 'vitest';
import { parseJsonText } from '../config/json/json-value.ts';
import { ownNames, readClientServers } from './client-servers.ts';

function read(record: object) {
  return readClientServers(parseJsonText('clients.json', Buffer.from(JSON.stringify(record))));
}

test('finds the names of servers in a client, which may differ from their ids', () => {
  const names = { 'my notes': 'my-notes', one: 'same', two: 'same', docs: 'docs-cursor' };
  const record = read({ imported: ['my-notes', 'same', 'docs-cursor'], names, shared: [], seen: [] });
  expect(ownNames(record, ['my-notes', 'same'])).toEqual(['my notes', 'one', 'two']);
});

test('a record without names, which an earlier version wrote, uses the ids', () => {
  expect(ownNames(read({ imported: ['a', 'b'] }), ['b', 'c'])).toEqual(['b']);
});
