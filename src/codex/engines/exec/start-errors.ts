import { stat } from 'node:fs/promises';
import { AppError, isAppError } from '../../../base/errors.ts';
import { sessionHeld, unknownSession } from '../../sessions/session-errors.ts';
import type { ExecCommand } from './arguments.ts';
import { describeExecExit, type ExecExit } from './protocol/turn-reader.ts';

/** Explains why `codex exec` could not be started. */
export async function toLaunchError(error: unknown, { cwd }: { readonly cwd: string }): Promise<unknown> {
  if (!isAppError(error) || error.code !== 'SPAWN_FAILED' || !(await isFolder(cwd))) return error;
  return new AppError(
    'CODEX_MISSING',
    `Codex could not be started. ${error.message}. Install it with npm install -g @openai/codex, or set CODEX_CLI_PATH to its executable.`,
    { cause: error, data: { ...error.data } },
  );
}

/** Explains why `codex exec` exited before a session began. Codex reports that only in one line on stderr. */
export function toStartError(exit: ExecExit, target: ExecCommand['target']): AppError {
  const { code, stderrLine } = exit;
  const sessionId = target.kind === 'start' ? undefined : target.sessionId;
  if (target.kind === 'fork' && code === USAGE_EXIT_CODE) return new AppError('REQUEST_FAILED', FORK_UNSUPPORTED);
  if (sessionId !== undefined && stderrLine !== undefined) {
    if (UNKNOWN_SESSION.test(stderrLine)) return unknownSession(sessionId);
    if (HELD_SESSION.test(stderrLine)) return sessionHeld(sessionId);
  }
  const how = describeExecExit(exit);
  return new AppError('START_FAILED', `${how} before a session began: ${stderrLine ?? 'no reason given'}`);
}

export const FORK_UNSUPPORTED = 'This Codex cannot fork with the exec engine: update it to 0.150 or newer.';

/** The exit code for unknown arguments. */
const USAGE_EXIT_CODE = 2;
const UNKNOWN_SESSION = /no rollout found|no session found|session not found/i;
const HELD_SESSION = /active writer/i;

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // The folder does not exist or is not accessible: the spawn error is about the folder, not about Codex.
    return false;
  }
}
