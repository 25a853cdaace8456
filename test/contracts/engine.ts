import { describe } from 'vitest';
import type { CodexRelease } from '../codex/codex-binary.ts';
import type { Step } from '../codex/steps.ts';
import { trackProcesses } from '../processes.ts';
import { testApprovals } from './engine-approvals.ts';
import { testFailures } from './engine-failures.ts';
import { testStored } from './engine-stored.ts';
import { type EngineTestbed, type HomeExtras, type OpenEngine, openEngineTestbed } from './engine-testbed.ts';
import { testTurns } from './engine-turns.ts';

/** One implementation, with one Codex. */
export interface EngineCase {
  readonly release: CodexRelease;
  /** Features that this Codex does not support. */
  readonly lacks: readonly ('approvals' | 'open' | 'steer' | 'fork' | 'name' | 'plan' | 'reasoning tokens')[];
}

export interface EngineTests extends EngineCase {
  /** Opens the engine for one test. */
  openTestbed(options?: HomeExtras): Promise<EngineTestbed>;
  /** A patch, in the form that this Codex expects. */
  patch(patch: string): Step;
  /** A shell command, in the form that this Codex expects from its model. */
  shell(command: string): Step;
  /** Returns the running processes whose command line matches. */
  alive(command: RegExp): readonly string[];
}

/**
 * The contract of every engine. After each test, no process that it started may be running.
 *
 * @example
 * testEngine('app-server', { age: 'current', lacks: [] }, (parts, listener) => openEngine({ … }, listener));
 */
export function testEngine(name: string, engineCase: EngineCase, open: OpenEngine): void {
  describe(`${name}, the ${engineCase.release} Codex`, () => {
    const tracker = trackProcesses();
    const tests: EngineTests = {
      ...engineCase,
      openTestbed: (extras = {}) => openEngineTestbed({ tracker, release: engineCase.release, open, ...extras }),
      patch: (patch) => (engineCase.release === 'old' ? oldTool(['apply_patch', patch]) : { patch }),
      shell: (command) => (engineCase.release === 'old' ? oldTool(['bash', '-c', command]) : { shell: command }),
      alive: (command) =>
        tracker
          .alive()
          .map((one) => one.command.trim())
          .filter((line) => command.test(line)),
    };
    testFailures(tests);
    testTurns(tests);
    testStored(tests);
    testApprovals(tests);
  });
}

/** In the old Codex, the model uses a single tool for commands and file changes. */
function oldTool(command: readonly string[]): Step {
  return { tool: { name: 'shell', arguments: { command: [...command] } } };
}
