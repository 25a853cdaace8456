// @ts-check
// Builds dist/: the library entries as tsc wrote them, the command line as one bundle with code splitting.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

rmSync(join(root, 'dist'), { recursive: true, force: true });
compileLibrary();
await bundleCommandLine();

function compileLibrary() {
  const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('tsc failed: see the messages above');
}

async function bundleCommandLine() {
  const outdir = join(root, 'dist', 'cli');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
  const main = join(outdir, 'main.js');
  if (existsSync(main)) chmodSync(main, 0o755);
}
