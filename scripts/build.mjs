// @ts-check
// Builds dist/: types by tsc, programs by esbuild. Every entry is bundled with code splitting, because a Node start
// pays about a millisecond for each file it imports; `external` packages stay imports, the dynamic ones stay dynamic.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

rmSync(join(root, 'dist'), { recursive: true, force: true });
emitTypes();
await bundle('src/kit/index.ts', 'dist/kit');
await bundle('src/kit/testing.ts', 'dist/kit');
await bundle('src/cli/main.ts', 'dist/cli');
chmodSync(join(root, 'dist/cli/main.js'), 0o755);

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
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    chunkNames: 'chunks/[name]-[hash]',
    sourcemap: true,
    logLevel: 'warning',
  });
}
