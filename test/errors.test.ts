import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorTable } from '../src/base/error-table.ts';

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8');

test('docs/errors.md lists every code with its meaning, as in the code', () => {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const expected = Object.entries(errorTable()).map(
    ([code, { exit, rpc, retryable, hint }]) =>
      `| \`${code}\` | ${exit} | ${rpc} | ${retryable ? 'yes' : 'no'} | ${hint} |`,
  );
  expect(rows).toEqual(expected);
});

test('codes in the range of JSON-RPC and MCP are only the ones they define', () => {
  const theirs = [-32002, -32700, -32600, -32601, -32602, -32603, -32800, -32020, -32021, -32022];
  const reserved = Object.values(errorTable()).filter(({ rpc }) => rpc <= -32000 && rpc >= -32900);
  expect(reserved.filter(({ rpc }) => !theirs.includes(rpc))).toEqual([]);
});
