// @ts-check
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The baseline: a relay in Node that splices ids and parses as little as possible, and the
 * server that both use. It is not part of this repository, but in a folder next to it or in SWITCHBOARD_BENCH_BASELINE.
 */
export const baseline = find(
  process.env['SWITCHBOARD_BENCH_BASELINE'] ?? fileURLToPath(new URL('../../../shared/bench', import.meta.url)),
);

/** @param {string} folder */
function find(folder) {
  const files = { relay: join(folder, 'relay.mjs'), echo: join(folder, 'echo-stdio.mjs') };
  if (!Object.values(files).every((file) => existsSync(file))) return undefined;
  return { ...files, tiny: join(folder, 'echo-stdio.c') };
}

/** @type {string | undefined} */
let compiled;

/** Returns a server that needs a few hundred KiB, so that many can run. Undefined without its source or a compiler. */
export function tinyServer() {
  if (compiled !== undefined || baseline === undefined || !existsSync(baseline.tiny)) return compiled;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'tiny-server');
  try {
    execFileSync('cc', ['-O2', '-o', program, baseline.tiny], { stdio: 'ignore' });
    compiled = program;
  } catch {
    // No compiler: callers use fewer, larger servers instead.
  }
  return compiled;
}
