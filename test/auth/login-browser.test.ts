import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBrowser } from '../../src/auth/sign-in/browser.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-browser-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const configuredUrl = 'https://mcp.example/mcp';

test('a browser program gets the URL as its only argument, without a shell', async () => {
  const log = join(folder, 'log');
  const program = writeProgram('records', `printf '%s\\n' "$#" "$1" > '${log}'`);
  const url = `https://as.example/auth?x=$(touch\${IFS}${folder}/evil)&y=\`touch\`;touch|touch`;
  expect(await open(url, program)).toBeUndefined();
  expect(readFileSync(log, 'utf8')).toBe(`1\n${new URL(url).href}\n`);
  expect(existsSync(join(folder, 'evil'))).toBe(false);
});

test('tries the next program if one is missing or fails at once', async () => {
  const log = join(folder, 'log');
  const bad = writeProgram('ends-badly', 'exit 3');
  const good = writeProgram('records', `printf x >> '${log}'`);
  expect(await open('https://as.example/', `${folder}/missing:${bad}:${good}:${good}`)).toBeUndefined();
  expect(readFileSync(log, 'utf8')).toBe('x');
});

test('reports the last error if none works', async () => {
  const bad = writeProgram('ends-badly', 'exit 3');
  expect(await open('https://as.example/', `${folder}/missing:${bad}`)).toBe(`${bad}: it exited with status 3`);
  expect(await open('https://as.example/', `${folder}/missing`)).toBe(`${folder}/missing: ENOENT`);
});

function open(url: string, browser: string): Promise<string | undefined> {
  const env = { BROWSER: browser, PATH: process.env['PATH'] };
  return openBrowser(url, { env, platform: process.platform, configuredUrl });
}

function writeProgram(name: string, line: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return file;
}
