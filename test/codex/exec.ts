import type { Readable } from 'node:stream';
import { startCodex } from './codex-process.ts';
import type { CodexHome } from './home.ts';
import type { JsonObject } from './json.ts';
import { readJsonLines } from './json-lines.ts';

export type ExecRun = {
  /** `null` when Codex was killed, by us at the deadline or by someone else. */
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly events: readonly JsonObject[];
  readonly stderr: string;
};

const MAX_EVENTS = 10_000;

/** Runs `codex exec --json` until it exits or the deadline passes. No process that it started outlives the call. */
export async function runCodexExec(options: {
  readonly home: CodexHome;
  readonly prompt: string;
  /** Arguments between the fixed flags and the prompt, such as `['-s', 'workspace-write']` or `['resume', id]`. */
  readonly args?: readonly string[];
  readonly timeoutMs: number;
}): Promise<ExecRun> {
  const { home, prompt, args = [], timeoutMs } = options;
  await using codex = await startCodex({
    home,
    args: ['exec', '--json', '--skip-git-repo-check', ...args, prompt],
  });
  // Codex reads an open stdin as part of the prompt and waits for EOF.
  codex.stdin.end();
  let timedOut = false;
  const deadline = setTimeout(() => {
    timedOut = true;
    // The second attempt, at the end of this function, reports processes that cannot be killed.
    codex.kill().catch(() => undefined);
  }, timeoutMs);
  try {
    const [{ exitCode }, events] = await Promise.all([codex.exited, collect(codex.stdout)]);
    return { exitCode, timedOut, events, stderr: codex.stderr() };
  } finally {
    clearTimeout(deadline);
  }
}

async function collect(stdout: Readable): Promise<readonly JsonObject[]> {
  const events: JsonObject[] = [];
  for await (const event of readJsonLines(stdout)) {
    events.push(event);
    if (events.length > MAX_EVENTS) throw new Error(`Codex wrote more than ${MAX_EVENTS} events`);
  }
  return events;
}
