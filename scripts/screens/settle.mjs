// @ts-check
import { textOf } from './terminal-emulator.mjs';

/** The home that screens show. It is as long as that of the scene. */
const SHOWN_HOME = '/home/alice';
const SHOWN_SESSION = '019a8d2e-6c1f-7b40-9d53-2f8e1c7a4b60';

/**
 * Returns a function that replaces values that differ between runs with fixed ones. Values in tables keep their length.
 *
 * @param {{ readonly folder: string }} home
 */
export function createSettler({ folder }) {
  /** @type {Map<string, string>} */
  const pids = new Map();
  return (/** @type {string} */ shown) =>
    shown
      // Shown only on a slow machine.
      .replaceAll(/^Waiting for .* …\r*\n/gm, '')
      .replaceAll(folder, SHOWN_HOME)
      .replaceAll(/127\.0\.0\.1:\d{5}/g, '127.0.0.1:48000')
      .replaceAll(/\bpid (\d+)/g, (_, pid) => {
        pids.set(pid, pids.get(pid) ?? String(4711 + pids.size));
        return `pid ${pids.get(pid)}`;
      })
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \([^)]*\)/g, '2026-11-16 09:30:00 (2 min ago)')
      .replaceAll(/ up (under a minute|\d+ min) /g, ' up 2 min ')
      .replaceAll(/[\d.]+ m?s(?=(\p{Cc}\[K)?\r*\n)/gu, '2 ms')
      .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, SHOWN_SESSION)
      .replaceAll(/\d+\.\d+\.\d+ \(\/\S*\/node\)/g, '24.11.1 (/usr/bin/node)');
}

/**
 * Sorts the lines of servers that are tested in parallel, which end in any order.
 *
 * @param {readonly import('./terminal-emulator.mjs').Run[][]} lines
 */
export function sortOutcomes(lines) {
  const isOutcome = (/** @type {string} */ line) => /^ {2}[✓✗⚠] \S+ +\d+ tools?, 2 ms$/.test(line);
  const from = lines.findIndex((runs) => isOutcome(textOf(runs)));
  const rest = lines.slice(Math.max(from, 0));
  const other = rest.findIndex((runs) => !isOutcome(textOf(runs)));
  if (from === -1 || other === -1) return lines;
  const sorted = rest.slice(0, other).toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
  return [...lines.slice(0, from), ...sorted, ...rest.slice(other)];
}
