import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach } from 'vitest';

/**
 * Tracks the processes that a test starts. Fails the test if any of them is still running at its end.
 * Reads /proc with separate code, because it verifies the code in src/base/process.
 *
 * @example
 * const processes = trackProcesses();
 * test('…', () => { const server = spawn(command, args, { env: processes.env() }); … });
 */
export function trackProcesses({ withinMs = 20_000 }: { readonly withinMs?: number } = {}): ProcessTracker {
  const tracker = createProcessTracker();
  afterEach(() => tracker.assertAllGone({ withinMs }));
  return tracker;
}

export interface ProcessTracker {
  /** The environment for every program that a test starts: our own, with the mark and a new home folder. */
  env(extra?: Readonly<Record<string, string>>): Record<string, string>;
  /** Tracks a process that was started without `env`. Its descendants are not tracked. */
  watch(pid: number): void;
  /** Returns the tracked processes that are running now. Zombies do not count. */
  alive(): readonly TrackedProcess[];
  /** Waits for all tracked processes to exit. After the timeout, kills the remaining ones and throws. */
  assertAllGone(options: { readonly withinMs: number }): Promise<void>;
}

interface LivingProcess {
  readonly pid: number;
  readonly startTime: string;
}

interface TrackedProcess extends LivingProcess {
  readonly command: string;
}

/** Pauses between two scans. They grow, because each scan costs as much as a small test. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 160;
/**
 * Variables of the developer's own Switchboard and Codex, which tests must not inherit. They share compiled code, which
 * the configuration of vitest puts into a folder of its own.
 */
const OURS = /^(WRAPPER_|MCP_WRAPPER|CODEX_|SWITCHBOARD_(?!CODE_CACHE$)|DEBUG$|NO_COLOR$|FORCE_COLOR$|XDG_)/;

/** Like `trackProcesses`, but the caller decides when to check. */
export function createProcessTracker(): ProcessTracker {
  const mark = `test-${randomUUID()}`;
  const watched = new Map<number, string>();
  const homes: string[] = [];
  let count = 0;

  function env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    const own = Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !OURS.test(entry[0]),
    );
    // A new home each time, so that tests share no state with the user or with each other.
    const home = join(tmpdir(), `switchboard-${mark}-${++count}`);
    homes.push(home);
    return {
      ...Object.fromEntries(own),
      SWITCHBOARD_HOME: home,
      // Symbols depend on the locale.
      LC_ALL: 'C.UTF-8',
      ...extra,
      // Two marks: Switchboard passes the first to the processes it starts, all other processes inherit the second.
      SWITCHBOARD_MARK: `${mark}/`,
      SWITCHBOARD_TEST_MARK: mark,
    };
  }

  function alive(): readonly TrackedProcess[] {
    const isTracked = ({ pid, startTime }: LivingProcess): boolean =>
      watched.get(pid) === startTime || read(pid, 'environ').includes(mark);
    return livingProcesses(watched)
      .filter(isTracked)
      .map(({ pid, startTime }) => ({ pid, startTime, command: read(pid, 'cmdline').replaceAll('\0', ' ') }));
  }

  async function assertAllGone({ withinMs }: { readonly withinMs: number }): Promise<void> {
    const end = performance.now() + withinMs;
    let left = alive();
    for (let pauseMs = MIN_PAUSE_MS; left.length > 0 && performance.now() < end; pauseMs *= 2) {
      await delay(Math.min(pauseMs, MAX_PAUSE_MS));
      left = alive();
    }
    for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
    if (left.length === 0) return;
    for (const { pid, startTime } of left) if (livingStart(pid) === startTime) kill(pid, 'SIGKILL');
    const list = left.map(({ pid, command }) => `${pid} ${command}`).join('\n  ');
    throw new Error(`Still alive after ${withinMs} ms:\n  ${list}`);
  }

  return { env, watch: (pid) => watched.set(pid, livingStart(pid) ?? ''), alive, assertAllGone };
}

/** Returns whether the process is running. A zombie is not. */
export function isAlive(pid: number): boolean {
  return livingStart(pid) !== undefined;
}

/** Returns the processes that are as young as this one, and the watched ones. We did not start the others. */
function livingProcesses(watched: ReadonlyMap<number, string>): readonly LivingProcess[] {
  const pids = process.platform === 'linux' ? listedPids() : [...watched.keys()];
  const candidates = pids.filter((pid) => watched.has(pid) || !olderPids.has(pid));
  const found = candidates.flatMap((pid) => {
    const startTime = livingStart(pid);
    return startTime === undefined ? [] : [{ pid, startTime }];
  });
  const bornAt = Number(livingStart(process.pid));
  const isOlder = ({ startTime }: LivingProcess) => Number(startTime) < bornAt;
  for (const each of found) if (isOlder(each)) olderPids.add(each.pid);
  return found.filter((each) => watched.has(each.pid) || !isOlder(each));
}

/** Processes older than this one, most of those in /proc. A scan reads nothing of them. */
const olderPids = new Set<number>();

function listedPids(): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const listed = new Set(pids);
  // The system may give the pid of a process that has exited to a new one.
  for (const pid of olderPids) if (!listed.has(pid)) olderPids.delete(pid);
  return pids;
}

/** Returns the start time of a running process, which detects a reused pid. Constant on other systems than Linux. */
function livingStart(pid: number): string | undefined {
  if (process.platform !== 'linux') return kill(pid, 0) ? 'unknown' : undefined;
  const stat = read(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === '' || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function read(pid: number, file: 'stat' | 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // The process has exited or belongs to another user, so it is not one of ours.
    return '';
  }
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
