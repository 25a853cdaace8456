// @ts-check
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './esbuild-options.mjs';

/** In `dist`, so that removing the folder forces a build. */
const STAMP = join(root, 'dist/.inputs');

/** Returns a digest of everything that determines the build. */
export function digestOfInputs() {
  const names = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'];
  const files = [...names, ...filesIn('scripts/build'), ...filesIn('src')];
  const digest = createHash('sha256');
  for (const file of files) digest.update(`${file}\n`).update(readFileSync(join(root, file)));
  return digest.digest('hex');
}

/** Whether `dist` was built from these inputs. @param {string} inputs */
export function isUpToDate(inputs) {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs;
}

/** Marks `dist` as complete. @param {string} inputs */
export function markUpToDate(inputs) {
  writeFileSync(STAMP, inputs);
}

/** @param {string} folder */
function filesIn(folder) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).sort();
  return names
    .filter((name) => /\.(?:ts|mjs)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
}
