// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { common, root } from './esbuild-options.mjs';
import { isShortLived, loadAtFirstCall } from './rarely-used.mjs';

/** @typedef {'esm' | 'cjs'} Format */

/**
 * Bundles the entry into one file, and each dynamically imported module into another, at the same paths in `outdir`.
 * @param {string} entry
 * @param {{ format: Format, outdir: string, minify: boolean, define?: Record<string, string> }} options
 */
export async function bundleParts(entry, { format, outdir, minify, define = {} }) {
  const parts = new Set([entry]);
  for (const part of parts) {
    const outfile = join(outdir, await builtPath(part, format));
    const found = async (/** @type {string} */ source) => {
      parts.add(source);
      const path = relative(dirname(outfile), join(outdir, await builtPath(source, format)));
      return path.startsWith('.') ? path : `./${path}`;
    };
    const own = await formatOf(part, format);
    const plugins = [loadedLater(found), own === 'cjs' ? asCommonJs(part) : asModules];
    await build({ ...common, format: own, minify, define, entryPoints: [part], outfile, plugins });
    if (own === 'cjs' && part !== LOADER) renameImports(join(root, outfile));
  }
}

/** The only file that Node itself loads. It loads the other parts. */
const LOADER = 'src/cli/main.ts';

/**
 * Lets a part import modules through the function that its loader gives it. The name is as long as the keyword, so that
 * source maps stay right.
 * @param {string} file
 */
function renameImports(file) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(?<![.\w$])import\(/g, 'Import('));
}

/**
 * Returns `esm` for a part that imports a package statically, because the package may be ESM-only.
 * @param {string} source @param {Format} wanted @returns {Promise<Format>}
 */
async function formatOf(source, wanted) {
  return wanted === 'cjs' && !(await usesPackages(source)) ? 'cjs' : 'esm';
}

/** @type {Map<string, Promise<boolean>>} */
const known = new Map();

/** @param {string} source */
function usesPackages(source) {
  const answer = known.get(source) ?? findPackages(source);
  known.set(source, answer);
  return answer;
}

/** @param {string} source */
async function findPackages(source) {
  const plugins = [loadedLater(async (later) => later)];
  const { metafile } = await build({ ...common, entryPoints: [source], write: false, metafile: true, plugins });
  return Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .some(({ kind, path }) => kind === 'import-statement' && !path.startsWith('node:'));
}

/** @param {string} source @param {Format} format */
async function builtPath(source, format) {
  const isModuleAmongOthers = format === 'cjs' && (await formatOf(source, format)) === 'esm';
  return source.replace(/^src\/(cli\/)?/, '').replace(/\.ts$/, isModuleAmongOthers ? '.mjs' : '.js');
}

/** @param {(source: string) => Promise<string>} found @returns {import('esbuild').Plugin} */
function loadedLater(found) {
  return {
    name: 'loaded-later',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, async ({ kind, path, importer }) => {
        const isLater = kind === 'dynamic-import' || kind === 'require-call';
        return isLater ? { path: await found(sourceFrom(importer, path)), external: true } : undefined;
      });
    },
  };
}

/** @param {string} importer @param {string} path */
function sourceFrom(importer, path) {
  return relative(root, join(dirname(importer), path)).replaceAll('\\', '/');
}

/** @type {import('esbuild').Plugin} */
const asModules = { name: 'as-modules', setup: (build) => rewrite(build, async (text) => text) };

/**
 * Dynamic imports load CommonJS too, if the target was built as CommonJS.
 * @param {string} part @returns {import('esbuild').Plugin}
 */
function asCommonJs(part) {
  return {
    name: 'as-common-js',
    setup: (build) =>
      rewrite(build, async (text, importer) => {
        const later = [...text.matchAll(/\bimport\('(\.[^']*\.ts)'\)/g)];
        const source = (/** @type {string} */ path) => sourceFrom(importer, path);
        let written = isShortLived(part) ? loadAtFirstCall(text, source) : text;
        written = written.replaceAll('import.meta.dirname', '__dirname');
        written = written.replaceAll('import.meta.url', `require('node:url').pathToFileURL(__filename).href`);
        for (const [whole, path = ''] of later) {
          const format = await formatOf(source(path), 'cjs');
          if (format === 'cjs') written = written.replace(whole, `Promise.resolve(require('${path}'))`);
        }
        return written;
      }),
  };
}

/** @param {import('esbuild').PluginBuild} build @param {(text: string, path: string) => Promise<string>} more */
function rewrite(build, more) {
  build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
    const text = readFileSync(path, 'utf8').replace(/^import \{([^}]*)\} from '(node:[^']+)';$/gm, takeBuiltin);
    return { contents: await more(text, path), loader: 'ts' };
  });
}

/**
 * Gets Node's built-in modules without an import, because the module loader copies each of them and
 * all of its members. Keeps the number of lines, for the source maps.
 * @param {string} statement @param {string} names @param {string} module
 */
function takeBuiltin(statement, names, module) {
  const values = names
    .split(',')
    .map((name) => name.trim().replace(' as ', ': '))
    .filter((name) => name !== '' && !name.startsWith('type '));
  const rest = '\n'.repeat(statement.split('\n').length - 1);
  return values.length === 0 ? rest : `const { ${values.join(', ')} } = process.getBuiltinModule('${module}');${rest}`;
}
