import { expect, test } from 'vitest';
import { switchboardDialect } from '../../../config/dialects/switchboard.ts';
import { decodeEntry } from '../../../config/entry/decode-entry.ts';
import { parseJsonText } from '../../../config/json/json-value.ts';
import { consentLines } from './consent.ts';

test('shows the command, the folder and the variables passed to the server', () => {
  const entry = {
    ...{ command: 'node', args: ['server.js', 'two words'], cwd: 'deep down', env_vars: ['MY_TOKEN'] },
    env: { NODE_OPTIONS: '--require /tmp/evil.js', API_KEY: 'geheim' },
  };
  expect(linesOf(entry)).toEqual([
    '  run node server.js "two words"',
    '  in "deep down"',
    '  with NODE_OPTIONS="--require /tmp/evil.js", API_KEY=(value hidden)',
    '  passing $MY_TOKEN',
  ]);
  expect(linesOf({ command: 'x', inherit_env: true })).toEqual(['  run x', '  passing all your environment variables']);
});

test('shows the URL, the headers and the variables sent to it', () => {
  const entry = { url: 'https://x/mcp', headers: { 'X-A': 'geheim' }, header_env: { 'X-B': 'B' } };
  expect(linesOf({ ...entry, bearer_token_env_var: 'TOKEN' })).toEqual([
    '  send requests to https://x/mcp',
    '  with headers X-A, X-B',
    '  passing $B, $TOKEN',
  ]);
});

function linesOf(entry: object): readonly string[] {
  const text = JSON.stringify({ version: 1, mcp: { servers: { a: entry } } });
  const [found] = switchboardDialect.readServers(parseJsonText('', Buffer.from(text)));
  if (found === undefined) throw new Error('There is no entry.');
  const origin = { layer: 'project', file: '', line: 0 } as const;
  const described = decodeEntry(found.value, { id: 'a', origin, dialect: switchboardDialect });
  if (described.kind !== 'on') throw new Error('It is off.');
  return consentLines(described.entry);
}
