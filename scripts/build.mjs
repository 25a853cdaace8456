// @ts-check
// Builds dist/, unless it is up to date: tsc emits the types, esbuild the programs. Each imported file adds about a
// millisecond to startup, so every entry is one file, and modules that are imported dynamically are others. Two bundles
// may contain the same module: code identifies errors by their code, never by their class. Packages stay imports.
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleParts } from './build/bundle-parts.mjs';
import { emitTypes } from './build/emit-types.mjs';
import { root } from './build/esbuild-options.mjs';
import { digestOfInputs, isUpToDate, markUpToDate } from './build/up-to-date.mjs';

const inputs = digestOfInputs();
if (!isUpToDate(inputs)) {
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  await Promise.all([emitTypes(['kit/index', 'kit/testing', 'host/index']), buildLibraries(), buildCommandLine()]);
  markUpToDate(inputs);
}

/** Without spaces, but with the names of the sources, so that library users get readable stack traces. */
async function buildLibraries() {
  const entries = ['src/kit/index.ts', 'src/kit/testing.ts', 'src/host/index.ts'];
  await bundleParts(entries, {
    format: 'esm',
    outdir: 'dist',
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
  });
}

/**
 * The ES module loader takes a tenth of a command's time. Minified code takes a third less time to compile. The package
 * leaves out the source maps.
 */
async function buildCommandLine() {
  const folder = join(root, 'dist/cli');
  // Node prints the line of an uncaught error, so a line is not the whole file.
  const minified = { minify: true, lineLimit: 500, sourcemap: true };
  const options = { format: /** @type {const} */ ('cjs'), outdir: 'dist/cli', ...minified };
  await bundleParts(['src/cli/command-line.ts', 'src/cli/completion/shell.ts'], options);
  await bundleParts(['src/cli/main.ts'], { ...options, define: { BUILD_ID: JSON.stringify(digestOf(folder)) } });
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ type: 'commonjs' })}\n`);
  chmodSync(join(folder, 'main.js'), 0o755);
}

/** Returns a digest of the built files in this folder. @param {string} folder */
function digestOf(folder) {
  const digest = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (/\.m?js$/.test(name)) digest.update(`${name}\n`).update(readFileSync(join(folder, name)));
  return digest.digest('hex').slice(0, 16);
}
