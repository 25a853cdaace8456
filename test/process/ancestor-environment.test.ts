import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { readAncestorVariable } from '../../src/base/process/ancestor-environment.ts';

test('a variable that no ancestor has is not found', () => {
  expect(readAncestorVariable('SWITCHBOARD_NOBODY_HAS_THIS')).toBeUndefined();
});

test('a process that does not exist has no variables', () => {
  expect(readAncestorVariable('PATH', 2 ** 30)).toBeUndefined();
});

test.runIf(process.platform === 'linux')('a variable is found above a program that did not pass it on', async () => {
  const inner = `process.stdout.write(process.pid + '\\n'); process.stdin.resume()`;
  const outer = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { env: {}, stdio: 'inherit' })`;
  const started = spawn(process.execPath, ['-e', outer], {
    env: { SWITCHBOARD_DEPTH: '3' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(started.stdout, 'data');
  expect(readAncestorVariable('SWITCHBOARD_DEPTH', Number(line))).toBe('3');
  started.stdin.end();
  await text(started.stdout);
});
