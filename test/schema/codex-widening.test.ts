import { type Schema, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { codex } from '../../src/schema/profiles/codex.ts';
import { propertyRuns } from '../property-runs.ts';
import { verifies } from '../verifies.ts';
import { awkwardSchema, callArguments, composedSchema, largeSchema } from './awkward-schemas.ts';
import { asCodexParses } from './codex-parsing.ts';

// Fewer runs may find no call that the original accepts.
const BUDGET = propertyRuns(300);

const PROPERTIES: readonly (readonly [string, fc.Arbitrary<Record<string, unknown>>, (schema: unknown) => unknown])[] =
  [
    ['the rewritten schema accepts', awkwardSchema, (schema) => schema],
    ['is accepted after Codex has read the rewritten schema', awkwardSchema, asCodexParses],
    ['is accepted after Codex has read what was told in parts', composedSchema, asCodexParses],
    ['is accepted after Codex has read what had to be shortened', largeSchema, asCodexParses],
  ];

describe('whatever the original accepts', () => {
  for (const [name, schemas, read] of PROPERTIES) {
    verifies('schema:codex:widens', name, () => expectToAccept(schemas, read), 120_000);
  }
});

function expectToAccept(schemas: fc.Arbitrary<unknown>, read: (schema: unknown) => unknown): void {
  let accepted = 0;
  fc.assert(
    fc.property(schemas, fc.array(callArguments, { minLength: 20, maxLength: 20 }), (schema, calls) => {
      const { text, rewrites } = codex.rewrite(JSON.stringify(schema));
      const before = createValidator(schema);
      const after = createValidator(read(JSON.parse(text)));
      for (const call of calls) {
        if (before(call) !== true) continue;
        accepted++;
        if (after(call) !== true) expect({ schema, call, text, rewrites }).toBe('accepted');
      }
    }),
    BUDGET,
  );
  expect(accepted).toBeGreaterThan(0);
}

/** The validator gives no answer for a circular schema. */
function createValidator(schema: unknown): (call: unknown) => boolean | undefined {
  const draft = JSON.stringify(schema).includes('draft-07') ? '7' : '2020-12';
  const validator = new Validator(structuredClone(schema) as Schema, draft);
  return (call) => {
    try {
      return validator.validate(call).valid;
    } catch {
      // A reference that has no target, or that leads back to itself without any constraint.
      return undefined;
    }
  };
}
