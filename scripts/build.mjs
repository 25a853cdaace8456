// @ts-check
// Builds dist/: types by tsc, programs by esbuild. A Node start pays about a millisecond for each file it imports, so
// every entry is one file, and so is everything that an entry of the command line loads later. Two bundles may hold the
// same module: errors are told apart by their code, never by their class. Packages stay imports.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
};

/**
 * Takes modules of Node itself as they are: an import goes through the module loader, which makes a copy of each and of
 * everything in it. Lines stay where they are, for the maps.
 * @type {import('esbuild').Plugin}
 */
const builtins = {
  name: 'builtins',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(/^import \{([^}]*)\} from '(node:[^']+)';$/gm, takeBuiltin);
      return { contents, loader: 'ts' };
    });
  },
};

rmSync(join(root, 'dist'), { recursive: true, force: true });
emitTypes();
await bundle('src/kit/index.ts', 'dist/kit');
await bundle('src/kit/testing.ts', 'dist/kit');
await bundleAlone('src/host/index.ts', { minify: false });
await bundleAlone('src/cli/main.ts', { minify: true });
await bundleShell('src/cli/completion/shell.ts', 'dist/cli/completion/shell.cjs');
copyFileSync(join(root, 'src/cli/start.cjs'), join(root, 'dist/cli/start.cjs'));
for (const program of ['start.cjs', 'main.js']) chmodSync(join(root, 'dist/cli', program), 0o755);

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

/**
 * One file for the entry, and one for whatever it imports dynamically, under the same path.
 * @param {string} main @param {{ minify: boolean }} options
 */
async function bundleAlone(main, { minify }) {
  const seen = new Set([main]);
  for (const entry of seen) {
    const outfile = builtFile(entry);
    const later = loadedLater(dirname(outfile), (file) => seen.add(file));
    // For a command half the text to read is a third less to compile, before the first server can be started. Whoever uses
    // the library wants to read what is thrown. What both load is written last by the command line.
    await build({ ...common, minify, entryPoints: [entry], outfile, plugins: [builtins, later] });
  }
}

/**
 * What is started at a press of a key: no module loader, no second file.
 * @param {string} entry @param {string} outfile
 */
async function bundleShell(entry, outfile) {
  await build({ ...common, format: 'cjs', minify: true, entryPoints: [entry], outfile, plugins: [builtins] });
}

/** @param {string} statement @param {string} names @param {string} module */
function takeBuiltin(statement, names, module) {
  const values = names
    .split(',')
    .map((name) => name.trim().replace(' as ', ': '))
    .filter((name) => name !== '' && !name.startsWith('type '));
  const rest = '\n'.repeat(statement.split('\n').length - 1);
  return values.length === 0 ? rest : `const { ${values.join(', ')} } = process.getBuiltinModule('${module}');${rest}`;
}

/** @param {string} source */
function builtFile(source) {
  return source.replace(/^src/, 'dist').replace(/\.ts$/, '.js');
}

/** @param {string} outdir @param {(file: string) => void} found @returns {import('esbuild').Plugin} */
function loadedLater(outdir, found) {
  return {
    name: 'loaded-later',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, importer }) => {
        if (kind !== 'dynamic-import' || !importer.startsWith(join(root, 'src'))) return undefined;
        const source = relative(root, join(dirname(importer), path));
        found(source);
        return { path: `./${relative(outdir, builtFile(source))}`, external: true };
      });
    },
  };
}
