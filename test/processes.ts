import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach } from 'vitest';

/**
 * The one way in which tests start processes: after each test nothing that it started may be alive.
 * It reads /proc with code of its own, because it judges the code in src/base/process.
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
  /** Our environment with the mark, and a home of its own. To be handed to every program that a test starts. */
  env(extra?: Readonly<Record<string, string>>): Record<string, string>;
  /** For a process that does not get the environment from `env`. Its descendants are not found by this. */
  watch(pid: number): void;
  /** Those of them who are alive now. A zombie is not. */
  alive(): readonly TrackedProcess[];
  /** Throws when somebody is still alive at the end of the time, and ends exactly those. */
  assertAllGone(options: { readonly withinMs: number }): Promise<void>;
}

interface LivingProcess {
  readonly pid: number;
  readonly startTime: string;
}

interface TrackedProcess extends LivingProcess {
  readonly command: string;
}

/** Pauses between two looks, which grow: each look costs as much as a small test. */
const MIN_PAUSE_MS = 10;
const MAX_PAUSE_MS = 160;
/** What the person who runs the tests has set for their own Switchboard and Codex is none of a test's business. */
const OURS = /^(WRAPPER_|MCP_WRAPPER|CODEX_|SWITCHBOARD_|DEBUG$|XDG_)/;

/** As `trackProcesses`, for those who want to decide themselves when to look. */
export function createProcessTracker(): ProcessTracker {
  const mark = `test-${randomUUID()}`;
  const watched = new Map<number, string>();
  const homes: string[] = [];
  let count = 0;

  function env(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    const own = Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !OURS.test(entry[0]),
    );
    // A new one each time: nothing of the user's is read or written, and nothing is remembered from test to test.
    const home = join(tmpdir(), `switchboard-${mark}-${++count}`);
    homes.push(home);
    return {
      ...Object.fromEntries(own),
      SWITCHBOARD_HOME: home,
      ...extra,
      // Twice: the first is handed on by Switchboard to what it starts, the second is inherited by everybody else.
      SWITCHBOARD_MARK: `${mark}/`,
      SWITCHBOARD_TEST_MARK: mark,
    };
  }

  function alive(): readonly TrackedProcess[] {
    // What is older than we are was not started by us; its environment need not be read, which is the costly part.
    const bornAt = Number(livingStart(process.pid));
    const isTracked = ({ pid, startTime }: LivingProcess): boolean =>
      watched.get(pid) === startTime || (!(Number(startTime) < bornAt) && read(pid, 'environ').includes(mark));
    return livingProcesses([...watched.keys()])
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

/** Whether this process is alive; a zombie is not. */
export function isAlive(pid: number): boolean {
  return livingStart(pid) !== undefined;
}

function livingProcesses(watched: readonly number[]): readonly LivingProcess[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : watched;
  return pids.flatMap((name) => {
    const pid = Number(name);
    const startTime = livingStart(pid);
    return startTime === undefined ? [] : [{ pid, startTime }];
  });
}

/** The start time of a living process, which tells it from another with the same id; outside Linux always the same. */
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
    // It ended, or is not ours to read: then it is not one of those that we look for.
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
