// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';

/** Starts a node program with pipes and an environment that adds nothing to its start. @param {readonly string[]} args */
export function startNode(args) {
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  return spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
}

/** CPU milliseconds of all threads of a running process, from the scheduler's own count. @param {number} pid */
export function cpuMs(pid) {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // A thread may end between the listing and the reading; what it used is lost to us, and is little.
    }
  }
  return nanoseconds / 1e6;
}

/** Resident memory in MiB. @param {number} pid */
export function residentMib(pid) {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** CPU milliseconds of all processes that this one has waited for. Exact in sum, shown in ticks of 10 ms. */
export function waitedCpuMs() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

/** Ends stdin and waits for the end; kills after a limit, so that no run outlives the benchmark.
 * @param {import('node:child_process').ChildProcess} started */
export async function finish(started) {
  const timer = setTimeout(() => started.kill('SIGKILL'), 10_000);
  started.stdin?.end();
  if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
  clearTimeout(timer);
}

/** A process and its descendants, without those that are not counted.
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

/** Reads what the kernel reports about a process; empty if the process has ended.
 * @param {number} pid @param {'stat' | 'cmdline' | 'status'} file */
export function readProcess(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
