// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Starts a Node program with pipes and a minimal environment. @param {readonly string[]} args */
export function startNode(args) {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  return spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** CPU milliseconds of all threads of a running process, from the scheduler's statistics. @param {number} pid */
export function cpuMs(pid) {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // A thread may exit between listing and reading. Its CPU time is lost, but is small.
    }
  }
  return nanoseconds / 1e6;
}

/** Resident memory in MiB. @param {number} pid */
export function residentMib(pid) {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** CPU milliseconds of all processes that this one has waited for. The sum is exact, but has a resolution of 10 ms. */
export function waitedCpuMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Closes stdin and waits for the exit. Kills the process after a timeout, so that none outlives the benchmark.
 * @param {import('node:child_process').ChildProcess} started */
export async function finish(started) {
  const timer = setTimeout(() => started.kill('SIGKILL'), 10_000);
  started.stdin?.end();
  if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
  clearTimeout(timer);
}

/** Returns a process and its descendants, without those that `isCounted` excludes.
 * @param {number} root @param {(pid: number) => boolean} [isCounted] */
export function processTree(root, isCounted = () => true) {
  /** @type {Map<number, number[]>} */
  const started = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readProcess(Number(name), 'stat');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    started.set(parent, [...(started.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(started.get(pid) ?? []).filter(isCounted));
  return found;
}

/** Reads a file of a process in /proc. Returns an empty text if the process has exited.
 * @param {number} pid @param {'stat' | 'cmdline' | 'status'} file */
export function readProcess(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
