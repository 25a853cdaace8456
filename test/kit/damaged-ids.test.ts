import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';

/** Invalid JSON may contain an invalid id. The response must be valid JSON nevertheless. */
const processes = trackProcesses();
const root = join(import.meta.dirname, '..', '..');
const servers = {
  'a server of the kit': [join(root, 'examples', 'echo.mjs')],
  'the codex server': [join(root, 'dist', 'cli', 'main.js'), 'codex'],
  'the gateway in front of one server': [
    ...[join(root, 'dist', 'cli', 'main.js'), '--', process.execPath],
    join(root, 'test', 'fixtures', 'well-behaved.mjs'),
  ],
};

const DAMAGED = [
  '{"jsonrpc":"2.0","id":"a\\2","method":"ping"}',
  '{"jsonrpc":"2.0","id":01,"method":"ping"}',
  '{"jsonrpc":"2.0","id":"a\\u12","method":"ping"}',
  '{"jsonrpc":"2.0","id":1.,"method":"ping"}',
  '{"jsonrpc":"2.0","id":-,"method":"ping"}',
  '{"jsonrpc":"2.0","id":"a\u0001b","method":"ping"}',
];

describe.each(Object.entries(servers))('%s', (_, command) => {
  test('answers each with id null, and then answers the next request', async () => {
    const started = spawn(process.execPath, command, { env: processes.env(), stdio: ['pipe', 'pipe', 'ignore'] });
    started.stdin.end([...DAMAGED, '{"jsonrpc":"2.0","id":"sound","method":"ping"}', ''].join('\n'));
    const lines = (await text(started.stdout)).split('\n').filter((line) => line !== '');
    const answers = lines.map((line) => JSON.parse(line));
    expect(answers.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual(DAMAGED.map(() => -32700));
    expect(answers.filter(({ id }) => id !== null)).toEqual([{ jsonrpc: '2.0', id: 'sound', result: {} }]);
  });
});
