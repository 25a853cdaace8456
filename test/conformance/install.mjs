// @ts-check
// Installs the conformance suite beside this file, once, exactly as its lockfile says.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../install-once.mjs';

installOnce({
  folder: dirname(fileURLToPath(import.meta.url)),
  manifest: 'package-lock.json',
  npmArgs: ['ci'],
  notice: 'Installing the conformance suite and the Node that it needs, once.',
});
