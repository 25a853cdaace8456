// @ts-check
// Installs the conformance suite next to this file, once, exactly as in its lockfile.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../install-once.mjs';

installOnce({
  folder: dirname(fileURLToPath(import.meta.url)),
  manifest: 'package-lock.json',
  npmArgs: ['ci'],
  notice: 'Installing the conformance suite and the Node that it needs, once.',
});
