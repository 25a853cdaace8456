// @ts-check
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { common, root } from './esbuild-options.mjs';
import { findParts, resolveLater, sourceFrom } from './find-parts.mjs';
import { isRarelyUsed, isShortLived, loadAtFirstCall } from './rarely-used.mjs';
import { rewriteSources } from './rewrite-sources.mjs';
import { sharedFileSource } from './shared-files.mjs';

/** @typedef {import('./find-parts.mjs').Part} Part */
/** @typedef {import('esbuild').BuildOptions & { outdir: string }} Options */

/**
 * Bundles the entries, and each module that they import dynamically, into files below `outdir`. The path of a file is
 * that of its source, unless several parts share one.
 * @param {readonly string[]} entries
 * @param {Options & { format: 'esm' | 'cjs' }} options
 */
export async function bundleParts(entries, { format, ...options }) {
  const parts = await findParts(entries, format);
  const files = new Set([...parts.values()].map(({ file }) => file));
  await Promise.all([...files].map((file) => bundleFile(file, { parts, options })));
}

/** The only file that Node itself loads. It loads the other parts. */
const LOADER = 'src/cli/main.ts';

/** @param {string} file @param {{ parts: ReadonlyMap<string, Part>, options: Options }} how */
async function bundleFile(file, { parts, options: { outdir, ...options } }) {
  const held = [...parts.values()].filter((part) => part.file === file);
  const [{ source, format, shared } = unreachable()] = held;
  const sources = held.map((part) => part.source);
  const isInside = (/** @type {string} */ other) => sources.includes(other) || (shared && isRarelyUsed(other)) === true;
  const pathOf = (/** @type {string} */ other) => {
    const path = relative(dirname(file), (parts.get(other) ?? unreachable()).file);
    return path.startsWith('.') ? path : `./${path}`;
  };
  const plugins = [
    resolveLater((other) => (isInside(other) ? undefined : { path: pathOf(other), external: true })),
    rewriteSources((text, path) => {
      if (format === 'esm') return text;
      const sourceOf = (/** @type {string} */ imported) => sourceFrom(dirname(path), imported);
      const written = isShortLived(source) ? loadAtFirstCall(text, sourceOf) : text;
      return asCommonJs(written, (imported) => {
        const other = parts.get(sourceOf(imported));
        if (other === undefined || other.format === 'esm') return undefined;
        if (isInside(other.source)) return shared?.isEager === true ? 'static' : 'require';
        return other.shared === undefined ? 'require' : { member: other.source };
      });
    }),
  ];
  const input = shared
    ? {
        stdin: { contents: sharedFileSource(sources, shared), resolveDir: root, sourcefile: file },
        // esbuild writes it only if the first source is TypeScript.
        banner: { js: '"use strict";' },
      }
    : { entryPoints: [source] };
  await build({ ...common, ...options, ...input, format, outfile: join(outdir, file), plugins });
  if (format === 'cjs' && source !== LOADER) renameImports(join(root, outdir, file));
}

/** How CommonJS loads a part: from its file, as a member of a shared file, or at once because it is in the same file.
 * @typedef {'require' | 'static' | { member: string }} Loading */

/**
 * Replaces ways to load modules that CommonJS does not have.
 * @param {string} text
 * @param {(path: string) => Loading | undefined} loadingOf undefined for an ES module
 */
function asCommonJs(text, loadingOf) {
  /** @type {string[]} */
  const imports = [];
  const written = text
    .replaceAll('import.meta.dirname', '__dirname')
    .replaceAll('import.meta.url', `require('node:url').pathToFileURL(__filename).href`)
    .replaceAll(/\bimport\('(\.[^']*\.ts)'\)/g, (whole, path) => {
      const loading = loadingOf(path);
      if (loading === undefined) return whole;
      if (loading === 'require') return `Promise.resolve(require('${path}'))`;
      if (loading !== 'static') return `Promise.resolve(require('${path}')['${loading.member}']())`;
      imports.push(`import * as later${imports.length} from '${path}';`);
      return `Promise.resolve(later${imports.length - 1})`;
    });
  return [written, ...imports].join('\n');
}

/**
 * Lets a part import modules through the function that its loader gives it. The name is as long as the keyword, so that
 * source maps stay right.
 * @param {string} file
 */
function renameImports(file) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(?<![.\w$])import\(/g, 'Import('));
}

/** @returns {never} */
function unreachable() {
  throw new Error('A part of the build was not found.');
}
