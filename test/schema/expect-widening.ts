import { type Schema, Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { expect } from 'vitest';
import { codex } from '../../src/schema/profiles/codex.ts';
import { propertyRuns } from '../property-runs.ts';
import { callArguments } from './awkward-schemas.ts';

// Fewer runs may find no call that the original accepts.
const BUDGET = propertyRuns(300);

/** Expects the schema for Codex, read with `read`, to accept every call that the original schema accepts. */
export function expectToAccept(schemas: fc.Arbitrary<unknown>, read: (schema: unknown) => unknown): void {
  let accepted = 0;
  fc.assert(
    fc.property(schemas, fc.array(callArguments, { minLength: 20, maxLength: 20 }), (schema, calls) => {
      const { text, rewrites } = codex.rewrite(JSON.stringify(schema));
      const before = createValidator(schema);
      const relevant = calls.filter((call) => before(call) === true);
      // Most schemas accept no call, and a second validator costs as much as the rest.
      if (relevant.length === 0) return;
      accepted += relevant.length;
      const after = createValidator(read(JSON.parse(text)));
      for (const call of relevant) if (after(call) !== true) expect({ schema, call, text, rewrites }).toBe('accepted');
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
