// @ts-check
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { connect } from './client.mjs';
import { startGateway, upstream } from './gateway-process.mjs';
import { finish } from './process.mjs';

/** Shorter than the default, to keep rounds short. */
export const LIST_TIMEOUT_MS = 1_000;
const IN_FLIGHT = 16;

/** @typedef {'initialize' | 'tools/list'} Method */

/** Milliseconds until the response to `initialize`, with one of three servers hanging and with none. @param {Method} method */
export async function initializeMs(method) {
  return { ours: (await visit(method)).initializeMs, theirs: (await visit(undefined)).initializeMs };
}

/** Milliseconds until the tools of the other two are listed. @param {Method} method */
export async function othersListedMs(method) {
  return { ours: (await visit(method)).listMs, theirs: 0 };
}

/** @param {Method | undefined} hanging */
async function visit(hanging) {
  const begin = performance.now();
  const gateway = startGateway(
    { s1: upstream(), s2: hanging === undefined ? upstream() : upstream('--hang', hanging), s3: upstream() },
    { WRAPPER_TOOLS_LIST_TIMEOUT_MS: String(LIST_TIMEOUT_MS) },
  );
  await gateway.client.initialize();
  const initializeMs = performance.now() - begin;
  const { result } = await gateway.client.request('tools/list', {});
  const listMs = performance.now() - begin - initializeMs;
  await gateway.close();
  const wanted = hanging === undefined ? 9 : 6;
  if (result.tools.length !== wanted) throw new Error(`${result.tools.length} tools, expected ${wanted}`);
  return { initializeMs, listMs };
}

/** Milliseconds from the crash of a server until its pending calls get responses. */
export async function inFlightMs() {
  return { ours: (await crash()).settledMs, theirs: 0 };
}

/** Milliseconds until the response to the next call, and to a call of the same server when started directly. */
export async function nextCallMs() {
  return { ours: (await crash()).nextMs, theirs: await ownStartMs() };
}

/** Errors of another server during the crash and the restart. */
export async function errorsElsewhere() {
  return { ours: (await crash()).errors, theirs: 0 };
}

async function crash() {
  const gateway = startGateway({ s1: upstream(), s2: upstream(), s3: upstream() });
  await gateway.ready(9);
  const call = (/** @type {string} */ name) => gateway.client.request('tools/call', { name, arguments: { text: 'x' } });
  const pid = Number((await call('s2__pid')).result.content[0].text);
  let isOver = false;
  let errors = 0;
  let calls = 0;
  const elsewhere = async () => {
    for (; !isOver; calls++) {
      if ((await call('s1__echo')).result?.content?.[0]?.text !== 'x') errors++;
      await delay(1);
    }
  };
  const others = elsewhere();
  const inFlight = Promise.all(Array.from({ length: IN_FLIGHT }, () => call('s2__slow')));
  await call('s2__echo');
  const death = performance.now();
  process.kill(pid, 'SIGKILL');
  const answers = await inFlight;
  const settledMs = performance.now() - death;
  const next = await call('s2__pid');
  const nextMs = performance.now() - death - settledMs;
  isOver = true;
  await others;
  await gateway.close();
  if (answers.some(({ error }) => error?.data?.retryable !== true)) throw new Error(JSON.stringify(answers));
  if (next.result === undefined || calls === 0)
    throw new Error(`${calls} calls elsewhere, then ${JSON.stringify(next)}`);
  return { settledMs, nextMs, errors };
}

async function ownStartMs() {
  const begin = performance.now();
  const { command, args } = upstream();
  const started = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const client = connect(started);
  await client.initialize();
  await client.request('tools/call', { name: 'pid', arguments: {} });
  const ms = performance.now() - begin;
  started.stdin.end();
  await finish(started);
  return ms;
}
