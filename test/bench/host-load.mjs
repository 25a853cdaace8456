// @ts-check
import { createInterface } from 'node:readline';

/** @typedef {{ calls: number, inFlight: number }} Order */

/**
 * Runs in the caller process: reports that it is ready, makes as many calls as each input line requests, and reports
 * when they are done, until the input ends. Checks every response.
 * @param {(text: string) => Promise<string | undefined>} echo
 */
export async function runOrders(echo) {
  const say = (/** @type {string} */ word) => process.stdout.write(`${word}\n`);
  say('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    await call(echo, JSON.parse(line));
    say('done');
  }
}

/** Keeps `inFlight` calls pending. @param {(text: string) => Promise<string | undefined>} echo @param {Order} order */
async function call(echo, { calls, inFlight }) {
  let started = 0;
  const caller = async () => {
    while (started < calls) {
      const text = `message ${++started} `.padEnd(100, 'x');
      const answer = await echo(text);
      if (answer !== text) throw new Error(`wrong answer: ${JSON.stringify(answer)}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
}
