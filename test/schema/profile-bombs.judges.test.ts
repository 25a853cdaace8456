import { describe, test } from 'vitest';
import { PROFILES } from '../../src/schema/profiles/registry.ts';
import { expectToTerminate, schemaBombs } from './schema-bombs.ts';

const BOMBS = schemaBombs(100_000);

describe.each(Object.entries(PROFILES))('the profile %s', (name, profile) => {
  test.each(BOMBS)('terminates on %s', { timeout: 120_000 }, (_, schema) => expectToTerminate(name, profile, schema));
});
