import { expect, test } from 'vitest';
import { missingCapability } from './capabilities.ts';

const url = { mode: 'url' };

test.each([
  ['sampling/createMessage', {}, { sampling: {} }, undefined],
  ['sampling/createMessage', {}, { sampling: true }, -32601],
  ['sampling/createMessage', {}, {}, -32601],
  ['sampling/createMessage', {}, undefined, -32601],
  ['roots/list', undefined, { roots: { listChanged: true } }, undefined],
  ['roots/list', undefined, { sampling: {} }, -32601],
  ['elicitation/create', {}, { elicitation: {} }, undefined],
  ['elicitation/create', { mode: 'form' }, { elicitation: {} }, undefined],
  ['elicitation/create', url, { elicitation: {} }, -32602],
  ['elicitation/create', url, { elicitation: { url: {} } }, undefined],
  ['elicitation/create', url, { elicitation: { form: {} } }, -32602],
  ['elicitation/create', {}, { elicitation: { url: {} } }, -32602],
  ['elicitation/create', {}, { elicitation: { form: {}, url: {} } }, undefined],
  ['elicitation/create', { mode: 'telepathy' }, { elicitation: { form: {}, url: {} } }, -32602],
  ['elicitation/create', url, {}, -32601],
  ['vendor/ask', {}, {}, undefined],
  ['constructor', {}, {}, undefined],
] as const)('%s %j to a client with %j is rejected with %s', (method, params, capabilities, code) => {
  const refusal = missingCapability({ method, params }, capabilities);
  const codes = { METHOD_NOT_FOUND: -32601, INVALID_PARAMS: -32602 } as Readonly<Record<string, number>>;
  expect(refusal && codes[refusal.code]).toBe(code);
});
