import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { readBlocks } from './blocks.ts';
import { nameOf, root, runIn, writeFiles } from './programs.ts';

const processes = trackProcesses();

test('the host example of the README runs in a project outside the clone', async () => {
  const blocks = readBlocks(readFileSync(join(root, 'README.md'), 'utf8'));
  const example = blocks.filter(({ code }) => code.includes("from 'switchboard/host'"));
  const project = mkdtempSync(join(tmpdir(), 'switchboard-readme-'));
  try {
    // `npm install <folder>` creates this link.
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/switchboard'));
    writeFiles(project, example);
    const args = example.map(nameOf);
    const env = processes.env({ HOME: project, SWITCHBOARD_HOME: join(project, 'own') });
    const ran = await runIn({ cwd: project, command: process.execPath, args, env });
    expect({ args, ...ran }).toEqual({ args: ['call-echo.mjs'], status: 0, out: 'You said: hi\n', err: '' });
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
