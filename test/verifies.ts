import { type TestFunction, test } from 'vitest';
import { requirements } from './requirements.ts';

/**
 * Defines a test that proves one or more clauses of `requirements.ts`. The ids must be string literals:
 * `requirements.test.ts` finds them by reading the test files.
 *
 * @example
 * verifies('kit:serve:unknown-method', 'an unknown method gets -32601', async () => { … });
 */
export function verifies(ids: string | readonly string[], name: string, fn: TestFunction, timeoutMs?: number): void {
  const cited = typeof ids === 'string' ? [ids] : ids;
  const unknown = cited.filter((id) => !requirements.some((requirement) => requirement.id === id));
  if (unknown.length > 0)
    throw new Error(`Unknown requirement ${unknown.join(', ')}: correct the id or add it to test/requirements/.`);
  if (cited.length === 0) throw new Error(`The test "${name}" cites no requirement: name one, or use test().`);
  test(`${name} (${cited.join(', ')})`, fn, timeoutMs);
}
