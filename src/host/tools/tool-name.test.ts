import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hash8 } from '../../base/text/names.ts';
import { promptName, toolName } from './tool-name.ts';

const PROVIDER_RULE = /^[a-zA-Z0-9_-]{1,64}$/;
const ids = fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }).filter((id) => !id.includes('\0'));
const rawNames = fc.string({ unit: 'binary', maxLength: 200 });

test.each([
  ['empty names', '', ''],
  ['names without an allowed letter', '日本', '✨'],
  ['a name of 1000 characters', 'files', 'x'.repeat(1000)],
  ['an id of 1000 characters', 'x'.repeat(1000), 'read'],
  ['escape sequences', '\u001b[31mred', '\u001b]52;c;x\u0007'],
  ['paths', '../../x', '/etc/passwd'],
  ['a lone surrogate', 'a\ud800', '\udc00'],
])('%s yield a name that providers accept', (_, id, raw) => {
  expect(toolName(id, raw)).toMatch(PROVIDER_RULE);
  expect(promptName(id, raw)).toMatch(PROVIDER_RULE);
});

test('a name contains server and tool, and ends with the hash of both', () => {
  expect(toolName('github', 'create_issue')).toBe(`mcp_github_create_issue_${hash8('github', 'create_issue')}`);
  expect(toolName('my server', 'do.it')).toBe(`mcp_my_server_do_it_${hash8('my server', 'do.it')}`);
});

test.each([
  ['half each if both are long', 'i'.repeat(60), 't'.repeat(60), `mcp_${'i'.repeat(25)}_${'t'.repeat(25)}_`],
  ['the rest to a long tool', 'ab', 't'.repeat(60), `mcp_ab_${'t'.repeat(48)}_`],
  ['the rest to a long id', 'i'.repeat(60), 'ab', `mcp_${'i'.repeat(48)}_ab_`],
  ['everything to both if they just fit', 'i'.repeat(10), 't'.repeat(40), `mcp_${'i'.repeat(10)}_${'t'.repeat(40)}_`],
])('shares the available length: %s', (_, id, raw, begins) => {
  expect(toolName(id, raw)).toBe(`${begins}${hash8(id, raw)}`);
});

test('names are valid, deterministic and end with their own hash for any tool name', () => {
  fc.assert(
    fc.property(ids, rawNames, (id, raw) => {
      const name = toolName(id, raw);
      expect(name).toMatch(PROVIDER_RULE);
      expect(name).toBe(toolName(id, raw));
      expect(name.endsWith(`_${hash8(id, raw)}`)).toBe(true);
      expect(promptName(id, raw)).not.toBe(name);
    }),
  );
});

test('names that look alike after cleaning or truncation are different', () => {
  const lookAlike = fc.constantFrom(
    'a b',
    'a_b',
    'a.b',
    'a/b',
    'a\u200b_b',
    'a__b',
    'a?b',
    `${'x'.repeat(90)}1`,
    `${'x'.repeat(90)}2`,
  );
  const pair = fc.tuple(fc.oneof(lookAlike, ids), fc.oneof(lookAlike, rawNames));
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      fc.pre(one[0] !== other[0] || one[1] !== other[1]);
      expect(toolName(...one)).not.toBe(toolName(...other));
      expect(promptName(...one)).not.toBe(promptName(...other));
      expect(promptName(...one)).not.toBe(toolName(...other));
    }),
  );
});

test('the end of an id cannot be moved into the tool name', () => {
  expect(toolName('a', 'b_c')).not.toBe(toolName('a_b', 'c'));
});

test('no tool name can produce the name of a prompt', () => {
  expect(toolName('prompt', 'files\0read')).not.toBe(promptName('files', 'read'));
  expect(toolName('files', 'prompt\0read')).not.toBe(promptName('files', 'read'));
});
