import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const root = join(import.meta.dirname, '..', '..');
/** Runs a program on a pseudo-terminal. */
const SCRIPT = 'script';
const hasScript = process.platform === 'linux' && spawnSync(SCRIPT, ['--version']).status === 0;

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-modules-'));
  const entryPoints = [join(root, 'src/cli/mcp/login/pasted-line.ts')];
  await build({ entryPoints, outfile: join(folder, 'paste.mjs'), bundle: true, format: 'esm', platform: 'node' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!hasScript)('on a real terminal', () => {
  test('reads a pasted line completely, without echo', async () => {
    const secret = `http://127.0.0.1:1/callback?code=${'secret'.repeat(50)}`;
    const output = await paste(`${secret}xx\u007f\u007f\r`);
    expect(output).toContain(`got ${secret.length} raw false`);
    expect(output).not.toContain('secret');
  });

  test('Ctrl-C cancels it and restores the terminal', async () => {
    expect(await paste('http://127\u0003')).toContain('CANCELLED raw false');
  });
});

function paste(keys: string): Promise<string> {
  const words = [
    process.execPath,
    join(import.meta.dirname, 'fixtures', 'login-paste.mjs'),
    pathToFileURL(join(folder, 'paste.mjs')).href,
  ];
  const command = words.map((word) => `'${word}'`).join(' ');
  const started = spawn(SCRIPT, ['-qec', command, '/dev/null'], { env: processes.env(), stdio: 'pipe' });
  let output = '';
  let isPasted = false;
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    // From here on, the program reads the input. Before that, the terminal would echo it.
    if (isPasted || !output.includes('paste')) return;
    isPasted = true;
    started.stdin.write(keys);
  });
  return new Promise((resolve) => {
    started.once('close', () => resolve(output));
  });
}
