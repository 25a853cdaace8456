import { inject, test } from 'vitest';
import type { CodexAge } from './codex-binary.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set for each project in `vitest.config.ts`. */
    codexAges: readonly CodexAge[];
  }
}

/** Those of the given Codex versions that this project runs: today's in integration, the older ones in judges. */
export function codexAges<Age extends CodexAge>(...ages: readonly Age[]): readonly Age[] {
  return ages.filter(runsCodex);
}

/**
 * `test` for one Codex version, skipped in the project that does not run it.
 *
 * @example
 * testWith('today')('a link leads nowhere', async () => { … });
 */
export function testWith(age: CodexAge): ReturnType<typeof test.runIf> {
  return test.runIf(runsCodex(age));
}

export function runsCodex(age: CodexAge): boolean {
  return inject('codexAges').includes(age);
}
