import { describe } from 'vitest';
import { verifies } from '../verifies.ts';
import { awkwardSchema, composedSchema } from './awkward-schemas.ts';
import { asCodexParses } from './codex-parsing.ts';
import { expectToAccept } from './expect-widening.ts';

// Schemas that must be shortened: codex-widening-large.judges.test.ts.
describe('whatever the original accepts', () => {
  verifies('schema:codex:widens', 'is accepted after Codex has read the rewritten schema', () =>
    expectToAccept(awkwardSchema, asCodexParses),
  );

  verifies('schema:codex:widens', 'is accepted after Codex has read what was told in parts', () =>
    expectToAccept(composedSchema, asCodexParses),
  );
});
