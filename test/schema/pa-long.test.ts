import { type Schema, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codex } from '../../src/schema/profiles/codex.ts';
import { awkwardSchema, callArguments, largeSchema } from './awkward-schemas.ts';
import { asCodexReads } from './codex-reading.ts';

const BUDGET = { numRuns: 2_000_000, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false };

describe('whatever the original accepts', () => {
  test.each([
    ['the rewritten schema accepts', awkwardSchema, (schema: unknown) => schema],
    ['is accepted after Codex has read the rewritten schema', awkwardSchema, asCodexReads],
    ['is accepted after Codex has read what had to be shortened', largeSchema, asCodexReads],
  ])('%s', { timeout: 100_000 }, (_, schemas, read) => {
    let accepted = 0;
    fc.assert(
      fc.property(schemas, fc.array(callArguments, { minLength: 20, maxLength: 20 }), (schema, calls) => {
        const { text, rewrites } = codex.rewrite(JSON.stringify(schema));
        const rewritten = read(JSON.parse(text));
        for (const call of calls) {
          if (accepts(schema, call) !== true) continue;
          accepted++;
          if (accepts(rewritten, call) !== true) expect({ schema, call, text, rewrites }).toBe('accepted');
        }
      }),
      BUDGET,
    );
    process.stdout.write(`accepted ${accepted}\n`);
  });
});

/** Undefined for a schema in which the validator turns in circles. */
function accepts(schema: unknown, call: unknown): boolean | undefined {
  try {
    return new Validator(structuredClone(schema) as Schema, '2020-12').validate(call).valid;
  } catch {
    // A reference that leads nowhere, or back to itself before it asked anything: there is no answer.
    return undefined;
  }
}
