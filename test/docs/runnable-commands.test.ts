import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';
import { type Block, readBlocks } from './blocks.ts';
import { root, runIn } from './programs.ts';

/**
 * Runs the `sh run` blocks of a document in order, in one empty home, and compares their output with the `text output`
 * blocks that follow. The working folder contains `examples`.
 */
const processes = trackProcesses();
const newFolder = useTemporaryFolders();

describe.each(['docs/quick-start.md', 'docs/codex.md'])('%s', (document) => {
  test('contains commands that run as shown', { timeout: 120_000 }, async () => {
    const blocks = readBlocks(readFileSync(join(root, document), 'utf8'));
    const home = newHome();
    const runnable = blocks.filter(({ language, role }) => language === 'sh' && role === 'run');
    expect(runnable).not.toEqual([]);
    for (const block of runnable) {
      const { status, out, err } = await home.run(block.code);
      expect(status, `line ${block.line}: ${err}`).toBe(0);
      const expected = outputAfter(block, blocks);
      if (expected !== undefined) expect(out).toBe(expected);
    }
  });
});

function newHome() {
  const folder = newFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'switchboard'), `#!/bin/sh\nexec '${process.execPath}' '${root}dist/cli/main.js' "$@"\n`);
  chmodSync(join(bin, 'switchboard'), 0o755);
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const path = [bin, join(root, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter);
  const env = processes.env({ HOME: folder, PATH: path, SWITCHBOARD_HOME: join(folder, 'own') });
  return { run: (code: string) => runIn({ cwd: folder, command: '/bin/sh', args: ['-ec', code], env }) };
}

function outputAfter(block: Block, blocks: readonly Block[]): string | undefined {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.language === 'text' && next.role === 'output' ? next.code : undefined;
}
