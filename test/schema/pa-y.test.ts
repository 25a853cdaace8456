import fc from 'fast-check';
import { test } from 'vitest';
import { codex } from '../../src/schema/profiles/codex.ts';
import { awkwardSchema, composedSchema, largeSchema, rubbish } from './awkward-schemas.ts';
test('x', { timeout: 100_000 }, () => {
  for (const arb of [awkwardSchema, composedSchema, largeSchema, rubbish] as fc.Arbitrary<unknown>[]) {
  const r = fc.check(
    fc.property(arb, (schema) => {
      const { text } = codex.rewrite(JSON.stringify(schema));
      return codex.rewrite(text).text === text;
    }),
    { numRuns: 1_000_000, interruptAfterTimeLimit: 15_000 },
  );
  process.stdout.write(`runs ${r.numRuns}\n`);
  if (r.counterexample) {
    const [s] = r.counterexample;
    const a = codex.rewrite(JSON.stringify(s)).text;
    process.stdout.write(`${JSON.stringify(s)}\n1 ${a}\n2 ${codex.rewrite(a).text}\n${JSON.stringify(codex.rewrite(a).rewrites)}\n`);
  }
  }
});
