import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readChallenge } from './challenge.ts';

const NOTHING = { resourceMetadata: undefined, scope: undefined, error: undefined };
const headers: readonly (readonly [string | undefined, object])[] = [
  [undefined, {}],
  ['', {}],
  ['Bearer', {}],
  ['Basic realm="x", scope="no"', {}],
  [
    'Bearer resource_metadata="https://a.example/m?x=1,2", scope="a b"',
    { resourceMetadata: 'https://a.example/m?x=1,2', scope: 'a b' },
  ],
  ['bearer SCOPE=read,error=invalid_token', { scope: 'read', error: 'invalid_token' }],
  [
    'Basic realm="a, Bearer scope=\\"x\\"", Bearer error="insufficient_scope", scope="w"',
    { error: 'insufficient_scope', scope: 'w' },
  ],
  [
    'Bearer realm="a", scope="first", Negotiate abc==, Bearer scope="second", error="e"',
    { scope: 'first', error: 'e' },
  ],
  ['Bearer scope = "q\\"uo\\\\ted"', { scope: 'q"uo\\ted' }],
  ['Bearer scope="", error=" "', {}],
  ['Bearer error="invalid_token" scope="no comma"', { error: 'invalid_token', scope: 'no comma' }],
  ['Bearer scope="never closed, error=x', {}],
];
test.each(headers)('%j', (header, expected) => {
  expect(readChallenge(header)).toEqual({ ...NOTHING, ...expected });
});

test('never throws, and reads back every header it writes', () => {
  const word = fc.stringMatching(/^[!-~]+( [!-~]+)*$/);
  fc.assert(
    fc.property(fc.string(), (header) => {
      expect(Object.keys(readChallenge(header))).toHaveLength(3);
    }),
  );
  fc.assert(
    fc.property(word, word, (scope, error) => {
      const quote = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`;
      expect(readChallenge(`Bearer scope=${quote(scope)}, error=${quote(error)}`)).toEqual({
        ...NOTHING,
        scope,
        error,
      });
    }),
  );
});
