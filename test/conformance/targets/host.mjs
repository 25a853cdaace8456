// @ts-check
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The suite starts all clients at once, so on a small machine each gets little CPU time. */
const CLIENT_MS = 60_000;

/** Our host in a program of its own. @type {import('./targets.mjs').Target} */
export const hostTarget = {
  name: 'host',
  side: 'client',
  judge: async (run) => run(['--command', `node ${await bundleClient()}`, '--timeout', String(CLIENT_MS)]),
};

/** Node 20 cannot run TypeScript. @returns {Promise<string>} relative to the root: the suite splits commands at spaces */
async function bundleClient() {
  const outdir = join('test', '.tmp', 'conformance');
  await build({
    absWorkingDir: join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..'),
    entryPoints: ['test/conformance/client.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  });
  return join(outdir, 'client.mjs');
}
