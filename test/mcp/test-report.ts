import { expect } from 'vitest';
import { GLOBAL, ownConfig, type Testbed } from './testbed.ts';

/** The servers of the global config. */
export function configure(testbed: Testbed, servers: Readonly<Record<string, unknown>>): Testbed {
  testbed.write(GLOBAL, ownConfig(servers));
  return testbed;
}

/** `mcp test <id> --json`: the one server of its report, and the error of the command. */
export async function testAsJson(testbed: Testbed, id: string, ...args: readonly string[]) {
  const { status, stdout, stderr } = await testbed.mcp('test', id, '--json', ...args);
  const { v, servers } = JSON.parse(stdout);
  expect([v, servers.length]).toEqual([1, 1]);
  const error = stderr === '' ? undefined : JSON.parse(stderr).error;
  return { status, report: servers[0], error };
}

export interface Failure {
  readonly status: number;
  readonly code: string;
  readonly step: string;
  /** Of the report. */
  readonly words: RegExp;
  /** The suggested next step. */
  readonly next: RegExp;
  /** How long the server may take to become ready: one second for servers that never do. */
  readonly timeoutSeconds?: number;
}

/** Expects the same failure in the report and as the command's error. Returns the next step. */
export async function expectFailure(testbed: Testbed, id: string, failure: Failure): Promise<string> {
  const { status, code, step, words, next, timeoutSeconds = 25 } = failure;
  const ended = await testAsJson(testbed, id, '--timeout', String(timeoutSeconds));
  expect({ ...ended.report.failed, status: ended.status }).toEqual({
    ...{ status, code, step },
    message: expect.stringMatching(words),
  });
  expect(ended.report.ok).toBe(false);
  expect(ended.error).toMatchObject({ code, step, server: id, hint: expect.stringMatching(next) });
  return ended.error.hint;
}
