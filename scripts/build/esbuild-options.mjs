// @ts-check
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the package. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** @type {import('esbuild').BuildOptions} */
export const common = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  packages: 'external',
  logLevel: 'warning',
};
