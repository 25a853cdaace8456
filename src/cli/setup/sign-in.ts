import { isAppError, messageOf } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { loginCommand } from '../../config/next-command.ts';
import { ask } from '../terminal/confirm.ts';
import { CANCEL_HINT } from './questions.ts';
import type { SetupRun } from './setup-run.ts';
import { type SetupTest, testOne } from './test-servers.ts';

/** Returns whether a server failed only because it requires a sign-in. */
export function needsSignIn({ report }: SetupTest): boolean {
  return report.failed?.error.code === 'SIGN_IN_NEEDED';
}

/**
 * Offers to sign in to each server that requires it, one after another, and tests it again afterward. Returns all
 * tests with the new outcomes.
 */
export async function offerSignIns(tests: readonly SetupTest[], run: SetupRun): Promise<readonly SetupTest[]> {
  const results: SetupTest[] = [];
  let isOffered = run.isInteractive;
  for (const test of tests) {
    if (!isOffered || !needsSignIn(test)) {
      results.push(test);
      continue;
    }
    const answer = await ask(`\nSign in to ${quoteIfNeeded(test.entry.id)} now? [Y/n/skip all] `, CANCEL_HINT);
    if (answer === undefined || /^\s*s/i.test(answer)) isOffered = false;
    const isAgreed = /^\s*(?:y(?:es)?)?\s*$/i.test(answer ?? 'n');
    results.push(isAgreed ? await signInAndTest(test, run) : test);
  }
  return results;
}

async function signInAndTest(test: SetupTest, run: SetupRun): Promise<SetupTest> {
  const { entry } = test;
  const { logIn } = await import('../mcp/login/sign-ins.ts');
  const { TIMEOUT_SECONDS } = await import('../mcp/login/parse-arguments.ts');
  await recordSignIn(entry.id, run);
  try {
    await logIn(
      {
        id: entry.id,
        hasBrowser: true,
        isDevice: false,
        scopes: undefined,
        callbackPort: undefined,
        timeoutMs: TIMEOUT_SECONDS * 1000,
        mustWait: false,
        isJson: false,
      },
      run.context,
    );
  } catch (error) {
    if (isAppError(error) && error.code === 'CANCELLED') throw error;
    run.showOutcome('bad', `${messageOf(error)} Next: ${loginCommand(entry)}`);
    return test;
  }
  return { entry, report: await testOne(entry, run) };
}

/** Undo must not remove a sign-in that existed before, even if it has expired. */
async function recordSignIn(id: string, { environment, journal }: SetupRun): Promise<void> {
  const { openAuthStore } = await import('../../auth/store/auth-store.ts');
  // A record applies to one URL. With an empty URL, the reason exists exactly if there is a record.
  if (openAuthStore(environment).ignoredReason(id, '') !== undefined) return;
  journal.change((before) => ({ ...before, signIns: [...new Set([...before.signIns, id])] }));
}
