import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import type { ProcessTracker } from '../processes.ts';
import { type CodexClient, openTestbed, type ServeOptions, type Testbed } from './testbed.ts';

/** A testbed with one folder where sessions may work, and one where they may not. */
export interface LimitedTestbed extends Testbed {
  /** The `--allow-root` folder. */
  readonly root: string;
  readonly outside: string;
  /** Starts a server with limits. Its own files are in the folder `own` of the home folder. */
  limited(options?: ServeOptions): Promise<CodexClient>;
  /** A protected folder, where sessions must not write. */
  readonly own: string;
}

const LIMITS = ['--max-sandbox', 'workspace-write', '--approvals', 'none', '--tools', 'all'];

export async function openLimitedTestbed(
  processes: ProcessTracker,
  options: Parameters<typeof openTestbed>[1] = {},
): Promise<LimitedTestbed> {
  const testbed = await openTestbed(processes, options);
  const root = testbed.home.workDir;
  const outside = join(testbed.home.rootDir, 'outside');
  const own = join(testbed.home.rootDir, 'own');
  for (const folder of [outside, own]) mkdirSync(folder);
  return {
    ...testbed,
    root,
    outside,
    own,
    limited: ({ args = ['--allow-root', root], env = {}, ...rest } = {}) =>
      testbed.serve({ args: [...LIMITS, ...args], env: { SWITCHBOARD_HOME: own, ...env }, ...rest }),
  };
}

/** A prompt that runs a single command. */
export function runs(command: string): string {
  return script([{ shell: command }, { message: 'tried' }]);
}

export function scriptPrompt(...steps: readonly Step[]): string {
  return script([...steps, { message: 'played' }]);
}
