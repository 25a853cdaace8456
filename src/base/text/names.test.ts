import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanName, hash8 } from './names.ts';

test.each([
  ['read_file', 'read_file'],
  ['UPPER-case_9', 'UPPER-case_9'],
  ['with spaces / and $(signs)', 'with_spaces_and_signs_'],
  ['unicode_é_日本', 'unicode____'],
  ['control\u0000\u0007\u001b[31mname', 'controlname'],
  ['zero\u200b\u200d\ufeffwidth', 'zero_width'],
  ['__proto__', '__proto__'],
  ['日本', '_'],
  ['', '_'],
  ['\u200b', '_'],
])('%j is cleaned to %j', (raw, clean) => {
  expect(cleanName(raw)).toBe(clean);
});

test('a clean name is nonempty, has only letters, digits, _ and -, and is unchanged by cleaning', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (raw) => {
      const clean = cleanName(raw);
      expect(clean).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(cleanName(clean)).toBe(clean);
    }),
  );
});

test('the hash is a prefix of sha256 over the id, NUL and the raw name', () => {
  expect(hash8('files', 'read')).toBe(createHash('sha256').update('files\0read').digest('hex').slice(0, 8));
  expect(hash8('a', 'b_c')).not.toBe(hash8('a_b', 'c'));
  expect(hash8('a', '\ud800')).not.toBe(hash8('a', '\ud801'));
});
