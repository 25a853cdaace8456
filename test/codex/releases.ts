import { inject, test } from 'vitest';
import type { CodexRelease } from './codex-binary.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Set for each project in `vitest.config.ts`. */
    codexReleases: readonly CodexRelease[];
  }
}

/** Those of the given Codex versions that this project runs: today's in integration, the older ones in judges. */
export function codexReleases<Release extends CodexRelease>(...releases: readonly Release[]): readonly Release[] {
  return releases.filter(runsCodex);
}

/**
 * `test` for one Codex version, skipped in the project that does not run it.
 *
 * @example
 * testWith('current')('a link leads nowhere', async () => { … });
 */
export function testWith(release: CodexRelease): ReturnType<typeof test.runIf> {
  return test.runIf(runsCodex(release));
}

export function runsCodex(release: CodexRelease): boolean {
  return inject('codexReleases').includes(release);
}
