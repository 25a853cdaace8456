// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './esbuild-options.mjs';

/**
 * Emits the types of these entries into `dist`, with all types that they refer to. Fails on a type error anywhere.
 * @param {readonly string[]} entries paths below `src`, without extension
 */
export async function emitTypes(entries) {
  await compile();
  const files = new Set(entries.map((entry) => `${entry}.d.ts`));
  for (const file of files) {
    const text = readFileSync(join(root, EMITTED, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/\b(?:from |import\()['"](\.[^'"]+)\.ts['"]/g))
      files.add(join(dirname(file), `${path}.d.ts`));
    const target = join(root, 'dist', file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, EMITTED, file), target);
  }
}

/** The folder of all types, as in tsconfig.build.json. */
const EMITTED = '.build/types';

async function compile() {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const args = [join(typescript, 'bin', 'tsc'), '-p', 'tsconfig.build.json'];
  const tsc = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const [status] = await once(tsc, 'exit');
  if (status !== 0) throw new Error('tsc failed. See the messages above.');
}
