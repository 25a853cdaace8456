// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What a gateway in Node cannot do much better than: a relay that splices ids and parses as little as can be, and the
 * server that both of them speak to. It is no part of this repository: a folder beside it, or SWITCHBOARD_FLOOR.
 */
export const baseline = find(
  process.env['SWITCHBOARD_FLOOR'] ?? fileURLToPath(new URL('../../../shared/bench', import.meta.url)),
);

/** @param {string} folder */
function find(folder) {
  const files = { relay: join(folder, 'relay.mjs'), echo: join(folder, 'echo-stdio.mjs') };
  if (!Object.values(files).every((file) => existsSync(file))) return undefined;
  return { ...files, tiny: join(folder, 'echo-stdio.c') };
}

/** @type {string | undefined} */
let compiled;

/** A server of a few hundred KiB, for many at once; undefined without its source or a compiler. */
export function tinyServer() {
  if (compiled !== undefined || baseline === undefined || !existsSync(baseline.tiny)) return compiled;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'tiny-server');
  try {
    execFileSync('cc', ['-O2', '-o', program, baseline.tiny], { stdio: 'ignore' });
    compiled = program;
  } catch {
    // No compiler: whoever asked takes fewer servers of another kind.
  }
  return compiled;
}
