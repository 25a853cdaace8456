import { AppError, isAppError } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';

/** Replaces the names of MCP tools and of their arguments in a message with what a person types in a shell. */
export function toShellWords(text: string): string {
  const name = programName();
  return [
    ['codex_list', `${name} codex sessions`],
    ['codex_read', `${name} codex show <session>`],
    ['codex_status', `${name} codex show <session>`],
    ['codex_say', `${name} codex say <session> "…"`],
    ['codex_start', `${name} codex run "…"`],
    ['set onConflict: "fork" to continue in a copy', 'use --fork to continue in a copy'],
    ['Set sandbox: "workspace-write"', 'Use --sandbox workspace-write'],
    ['workingDirectory', '--cwd'],
    ['skipGitRepoCheck: true', '--skip-git-repo-check'],
    ['skipGitRepoCheck', '--skip-git-repo-check'],
  ].reduce((words, [from = '', to = '']) => words.replaceAll(from, to), text);
}

/** Does the same with the message of an error. Arguments that a person typed are a matter of usage. */
export function toShellError(error: unknown): unknown {
  if (!isAppError(error)) return error;
  const code = error.code === 'BAD_ARGUMENTS' ? 'USAGE' : error.code;
  const message = toShellWords(error.message);
  if (code === error.code && message === error.message) return error;
  return new AppError(code, message, { cause: error, ...(error.data === undefined ? {} : { data: error.data }) });
}
