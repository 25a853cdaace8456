import { expect, test } from 'vitest';
import { capabilityKey } from './capability-key.ts';

test.each([
  ['no capabilities and an empty object', undefined, {}],
  ['the same members in another order', { roots: {}, sampling: {} }, { sampling: {}, roots: {} }],
  ['elicitation without modes and with forms', { elicitation: {} }, { elicitation: { form: {} } }],
])('is equal for %s', (_, one, other) => {
  expect(capabilityKey(one)).toBe(capabilityKey(other));
});

test.each([
  ['sampling', {}, { sampling: {} }],
  ['roots', {}, { roots: {} }],
  ['a form of roots', { roots: {} }, { roots: { listChanged: true } }],
  ['a mode of elicitation', { elicitation: { form: {} } }, { elicitation: { form: {}, url: {} } }],
  ['tools in sampling', { sampling: {} }, { sampling: { tools: {} } }],
])('differs by %s', (_, one, other) => {
  expect(capabilityKey(one)).not.toBe(capabilityKey(other));
});
