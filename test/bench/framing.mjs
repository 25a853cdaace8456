// @ts-check

import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { alternate } from './rounds.mjs';

const MIB = 1024 * 1024;
const CHUNK = 64 * 1024;

/** CPU milliseconds to frame 64 MiB in chunks of 64 KiB: as one line, and as 64 lines of one MiB. */
export function framingMs() {
  return alternate({ turns: 8, ours: () => frameMs(1), theirs: () => frameMs(64) });
}

/** @param {number} lines */
async function frameMs(lines) {
  const { createFramer } = await loadFraming();
  // Both use the same amount of memory. A short line that is reused would stay in the CPU cache.
  const input = Buffer.alloc(64 * MIB, 'x');
  for (let end = input.length / lines; end <= input.length; end += input.length / lines) input[end - 1] = 10;
  let frames = 0;
  const framer = createFramer({ frame: () => void frames++, reportError: fail }, { maxBytes: 64 * MIB });
  const before = process.cpuUsage();
  for (let at = 0; at < input.length; at += CHUNK) framer.push(input.subarray(at, at + CHUNK));
  const { user, system } = process.cpuUsage(before);
  if (frames !== lines) throw new Error(`expected ${lines} frames, got ${frames}`);
  return (user + system) / 1000;
}

/** @param {Error} error */
function fail(error) {
  throw error;
}

/** @type {Promise<any> | undefined} */
let framing;

/** The framing is not a public entry, so this benchmark bundles it. */
function loadFraming() {
  framing ??= build({
    entryPoints: [fileURLToPath(new URL('../../src/wire/stream/framing.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
  }).then(
    ({ outputFiles: [file] }) =>
      import(`data:text/javascript;base64,${Buffer.from(file?.contents ?? []).toString('base64')}`),
  );
  return framing;
}
