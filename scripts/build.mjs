// @ts-check
// Builds dist/: tsc emits the types, esbuild the programs. Each imported file adds about a millisecond to startup, so
// every entry is one file, and so is each module that it imports dynamically. Two bundles may contain the same module:
// code identifies errors by their code, never by their class. Packages stay imports.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
// Not minified, so that library users get readable stack traces.
await bundleParts('src/host/index.ts', { format: 'esm', outdir: 'dist', minify: false });
// The ES module loader takes a tenth of a command's time. Minified code takes a third less time to compile.
const asCommand = { format: /** @type {const} */ ('cjs'), outdir: 'dist/cli', minify: true };
await bundleParts('src/cli/command-line.ts', asCommand);
await bundleParts('src/cli/completion/shell.ts', asCommand);
await bundleParts('src/cli/main.ts', { ...asCommand, define: { BUILD_ID: JSON.stringify(digestOf(cli)) } });
writeFileSync(join(cli, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
chmodSync(join(cli, 'main.js'), 0o755);

function emitTypes() {
  const typescript = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  const { status } = spawnSync(process.execPath, [join(typescript, 'bin', 'tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('tsc failed. See the messages above.');
}

/** Returns a digest of the built files in this folder. @param {string} folder */
function digestOf(folder) {
  const digest = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (name.endsWith('.js')) digest.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return digest.digest('hex').slice(0, 16);
}

/** @param {string} entry @param {string} outdir */
async function bundle(entry, outdir) {
  await build({ ...common, entryPoints: [entry], outdir, splitting: true, chunkNames: 'chunks/[name]-[hash]' });
}
