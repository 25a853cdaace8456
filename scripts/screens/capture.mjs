// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { runOnTerminal } from './pty.mjs';
import { sortOutcomes } from './settle.mjs';
import { readRuns } from './terminal-emulator.mjs';

/**
 * A command line and the input typed while it runs. `status` is the expected exit status.
 *
 * @typedef {{
 *   readonly name: string,
 *   readonly args: readonly string[],
 *   readonly steps?: readonly import('./pty.mjs').Step[],
 *   readonly status?: number,
 * }} Screen
 */

export const size = { columns: 80, rows: 24 };
const MAX_CAPTURES = 20;

/**
 * Runs a command on a terminal and returns the lines that the user sees, with values that differ between runs settled.
 *
 * @param {Screen} screen @param {import('./home.mjs').Home} home @param {(text: string) => string} settle
 */
export async function captureScreen(screen, home, settle) {
  const text = settle(await outputOf(screen, home));
  return sortOutcomes(readRuns(`$ ${commandLine(screen)}\r\n${text}`, size));
}

/** Returns a command as the user types it. @param {Screen} screen */
export function commandLine({ args }) {
  return ['switchboard', ...args.map((arg) => (/[\s"]/.test(arg) ? JSON.stringify(arg) : arg))].join(' ');
}

/**
 * A gateway keeps retrying a failing server, and a busy machine may exceed the time limit of a server. Such a screen is
 * captured again.
 *
 * @param {Screen} screen @param {import('./home.mjs').Home} home
 */
async function outputOf({ args, steps = [], status: expected = 0 }, { main, cwd, env }) {
  for (let attempt = 1; ; attempt++) {
    const { status, text } = await runOnTerminal([process.execPath, main, ...args], {
      ...{ cwd, env, ...size, steps, withinMs: 60_000 },
    });
    const isTransient = /connecting|No answer within/.test(text) && attempt < MAX_CAPTURES;
    if (!isTransient && status !== expected) throw new Error(`${args.join(' ')} ended with ${status}:\n${text}`);
    if (!isTransient) return text;
    await delay(100);
  }
}
