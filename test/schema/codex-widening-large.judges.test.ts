import { describe } from 'vitest';
import { verifies } from '../verifies.ts';
import { awkwardSchema, largeSchema } from './awkward-schemas.ts';
import { asCodexParses } from './codex-parsing.ts';
import { expectToAccept } from './expect-widening.ts';

describe('whatever the original accepts', () => {
  verifies(
    'schema:codex:widens',
    'the rewritten schema accepts',
    () => expectToAccept(awkwardSchema, (schema) => schema),
    120_000,
  );

  verifies(
    'schema:codex:widens',
    'is accepted after Codex has read what had to be shortened',
    () => expectToAccept(largeSchema, asCodexParses),
    120_000,
  );
});
