// @ts-check
// Installs the judges next to this file, once: the Inspector and mcporter with the Node that they need, another Node,
// and two older Codex versions.
// Without a lockfile, because npm cannot write one for the Inspector that `npm ci` accepts. The versions in
// package.json are exact.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../install-once.mjs';

installOnce({
  folder: dirname(fileURLToPath(import.meta.url)),
  manifest: 'package.json',
  npmArgs: ['install', '--no-package-lock'],
  notice:
    'Installing the judges of the tests, once: the MCP Inspector, mcporter, Node 22 and 24, and two older Codexes.',
});
