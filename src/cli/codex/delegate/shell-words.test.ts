import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import { sessionHeld, unknownSession } from '../../../codex/sessions/session-errors.ts';
import { toShellError } from './shell-words.ts';

test.each([
  [unknownSession('7'), 'SESSION_NOT_FOUND', 'There is no session 7. switchboard codex sessions shows all sessions.'],
  [sessionHeld('7'), 'SESSION_HELD', expect.stringContaining('or use --fork to continue in a copy.')],
  [new AppError('BAD_ARGUMENTS', 'Set skipGitRepoCheck: true.'), 'USAGE', 'Set --skip-git-repo-check.'],
])('%s is told in words of the shell', (error, code, message) => {
  expect(toShellError(error)).toMatchObject({ code, message });
});

test('leaves other errors unchanged', () => {
  const error = new AppError('TIMED_OUT', 'Too late.');
  expect(toShellError(error)).toBe(error);
});
