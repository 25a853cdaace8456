import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './programs.ts';

/** docs/files.md lists exactly the variables that the source reads or sets. */
const page = readFileSync(join(root, 'docs/files.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('| `'));
const listed = rows.flatMap((row) => row.split(' | ')[0]?.match(/[A-Z][A-Z_]{4,}/g) ?? []);
const source = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n');

/** Only between a process of ours and the program that it starts. */
const INTERNAL = ['SWITCHBOARD_RUN_FOLDER', 'SWITCHBOARD_HTTP_SUCCESSOR'];

test('every variable of Switchboard is in the table', () => {
  const own =
    /'((?:SWITCHBOARD|WRAPPER|MCP_WRAPPER)_[A-Z_]+|[A-Z]+(?:_[A-Z]+)*_(?:TIMEOUT_MS|SESSIONS|BUFFER_SIZE|LEVEL))'/g;
  const used = new Set([...source.matchAll(own)].map(([, name = '']) => name));
  expect(used.size).toBeGreaterThan(12);
  expect([...used].filter((name) => !listed.includes(name) && !INTERNAL.includes(name))).toEqual([]);
});

test('every variable in the table occurs in the source', () => {
  // Node.js itself reads this one.
  const ours = listed.filter((name) => name !== 'NODE_EXTRA_CA_CERTS');
  expect(ours.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
});
