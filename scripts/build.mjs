// @ts-check
// Builds dist/: types by tsc, programs by esbuild. A Node start pays about a millisecond for each file it imports, so
// every entry is one file, and so is everything that an entry loads later. Two bundles may hold the same module: errors
// are told apart by their code, never by their class. Packages stay imports.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { bundleParts } from './build/bundle-parts.mjs';
import { common, root } from './build/esbuild-options.mjs';

const cli = join(root, 'dist/cli');

rmSync(join(root, 'dist'), { recursive: true, force: true });
emitTypes();
await bundle('src/kit/index.ts', 'dist/kit');
await bundle('src/kit/testing.ts', 'dist/kit');
// Whoever uses the library wants to read what is thrown.
await bundleParts('src/host/index.ts', { format: 'esm', outdir: 'dist', minify: false });
// The loader of ES modules costs a command a tenth of its time. Half the text to read is a third less to compile.
await bundleParts('src/cli/main.ts', { format: 'cjs', outdir: 'dist/cli', minify: true });
await bundleParts('src/cli/completion/shell.ts', { format: 'cjs', outdir: 'dist/cli', minify: true });
mkdirSync(cli, { recursive: true });
writeFileSync(join(cli, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
copyFileSync(join(root, 'src/cli/start.cjs'), join(cli, 'start.cjs'));
for (const program of ['start.cjs', 'main.js']) chmodSync(join(cli, program), 0o755);

function emitTypes() {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const { status } = spawnSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('tsc failed: see the messages above');
}

/** @param {string} entry @param {string} outdir */
async function bundle(entry, outdir) {
  await build({ ...common, entryPoints: [entry], outdir, splitting: true, chunkNames: 'chunks/[name]-[hash]' });
}
