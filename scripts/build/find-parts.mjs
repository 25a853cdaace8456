// @ts-check
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { common, root } from './esbuild-options.mjs';
import { isRarelyUsed, isShortLived, loadAtFirstCall } from './rarely-used.mjs';
import { rewriteSources } from './rewrite-sources.mjs';
import { sharedFileOf } from './shared-files.mjs';

/** @typedef {'esm' | 'cjs'} Format */

/**
 * A module that is loaded on its own: an entry, or the target of a dynamic import.
 * @typedef {object} Part
 * @property {string} source
 * @property {Format} format
 * @property {string} file the file that will contain it
 * @property {import('./shared-files.mjs').SharedFile | undefined} shared the same, if it holds other parts, too
 */

/**
 * Finds the entries, and all modules that they load later, and decides where they go.
 * @param {readonly string[]} entries @param {Format} wanted
 * @returns {Promise<ReadonlyMap<string, Part>>} by source
 */
export async function findParts(entries, wanted) {
  /** @type {Map<string, Scan>} */
  const scans = new Map();
  for (let sources = entries; sources.length > 0; ) {
    const scanned = await Promise.all(sources.map((source) => scan(source, wanted)));
    for (const [index, source] of sources.entries()) scans.set(source, scanned[index] ?? EMPTY);
    sources = [...new Set(scanned.flatMap(({ later }) => later))].filter((source) => !scans.has(source));
  }
  return new Map(
    [...scans].map(([source, { format }]) => {
      const shared = format === 'cjs' ? findSharedFile(source, scans) : undefined;
      return [source, { source, format, file: shared?.path ?? ownFile(source, { format, wanted }), shared }];
    }),
  );
}

/**
 * A part that no file but one loads goes into that file.
 * @param {string} source @param {ReadonlyMap<string, Scan>} scans
 */
function findSharedFile(source, scans) {
  const loaders = [...scans].filter(([, { later }]) => later.includes(source));
  // Node itself resolves the imports of ES modules, so these need a file for each part.
  if (loaders.some(([, { format }]) => format === 'esm')) return undefined;
  if (source.startsWith('src/cli/') || source.startsWith('src/clients/')) return sharedFileOf(source);
  const files = new Set(loaders.map(([loader]) => sharedFileOf(loader)));
  const [file] = files;
  return files.size === 1 && !isRarelyUsed(source) ? file : undefined;
}

/** @typedef {{ readonly format: Format, readonly later: readonly string[] }} Scan */
/** @type {Scan} */
const EMPTY = { format: 'cjs', later: [] };

/**
 * Returns what a part loads later, and its format: `esm` for one that imports a package statically, because the package
 * may be ESM-only.
 * @param {string} source @param {Format} wanted @returns {Promise<Scan>}
 */
async function scan(source, wanted) {
  /** @type {Set<string>} */
  const later = new Set();
  const hasLazyCalls = wanted === 'cjs' && isShortLived(source) && sharedFileOf(source) === undefined;
  const rewriting = rewriteSources((text, path) =>
    hasLazyCalls ? loadAtFirstCall(text, (imported) => sourceFrom(dirname(path), imported)) : text,
  );
  const plugins = [resolveLater((found) => ({ path: found, external: later.add(found) !== undefined })), rewriting];
  const options = { ...common, entryPoints: [source], write: false, metafile: true, plugins };
  const { metafile } = await build({ ...options, metafile: true });
  const usesPackages = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .some(({ kind, path }) => kind === 'import-statement' && !path.startsWith('node:'));
  return { format: usesPackages ? 'esm' : wanted, later: [...later] };
}

/**
 * Lets `resolve` decide where a dynamically imported module is; undefined: in the same file.
 * @param {(source: string) => { path: string, external: boolean } | undefined} resolve
 * @returns {import('esbuild').Plugin}
 */
export function resolveLater(resolve) {
  return {
    name: 'resolve-later',
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.ts$/ }, ({ kind, path, resolveDir }) => {
        const isLater = kind === 'dynamic-import' || kind === 'require-call';
        return isLater ? resolve(sourceFrom(resolveDir, path)) : undefined;
      });
    },
  };
}

/** Returns the path of an imported source below the root. @param {string} folder @param {string} path */
export function sourceFrom(folder, path) {
  return relative(root, join(folder, path)).replaceAll('\\', '/');
}

/** @param {string} source @param {{ format: Format, wanted: Format }} formats */
function ownFile(source, { format, wanted }) {
  const extension = wanted === 'cjs' && format === 'esm' ? '.mjs' : '.js';
  return source.replace(/^src\/(cli\/)?/, '').replace(/\.ts$/, extension);
}
