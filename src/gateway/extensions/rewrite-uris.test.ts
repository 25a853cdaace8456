import { expect, test } from 'vitest';
import { namesUi, rewriteMetaUris, rewriteUris } from './rewrite-uris.ts';

test('rewrites members that name a resource, and keeps every other character', () => {
  const json =
    '{ "id":9007199254740993, "result" : {"contents":[{"uri":"ui:\\/\\/a","text":"ui://a"},{"uri":"file:///a"}],' +
    '"n":1.0,"n":1e400,"__proto__":{"uri":"skill://b"},"structuredContent":{"uri":"ui://a"},"uri":["ui://a"]}}';
  expect(rewriteUris(json, 'one')).toBe(
    json.replace('"ui:\\/\\/a"', '"ui://one/a"').replace('"skill://b"', '"skill://one/b"'),
  );
});

test.each([
  '{"result":{"text":"ui://a"}}',
  '{"result":{"uri":"file:///a?ui:"}}',
  '{"uri":null,"ui:":1}',
  '["ui://a"]',
  '"ui://a"',
])('leaves %s alone', (json) => {
  expect(rewriteUris(json, 'one')).toBeUndefined();
});

test('rewrites only the _meta of a definition', () => {
  const tool = (uri: string) =>
    `{"name":"show","inputSchema":{"properties":{"uri":{"default":"ui://a"}},"uri":"ui://a"},"_meta":{"ui":{"resourceUri":"${uri}"},"openai/outputTemplate":"${uri}","other":"ui://a"}}`;
  expect(rewriteMetaUris(tool('ui://a'), 'one')).toBe(tool('ui://one/a'));
  expect(rewriteMetaUris(tool('https://a'), 'one')).toBe(tool('https://a'));
  expect([tool('ui://a'), tool('https://a'), '{"name":"ui:"}'].map(namesUi)).toEqual([true, false, false]);
});

test('does not follow a value that is nested too deep', () => {
  const deep = `${'{"a":'.repeat(5_000)}{"uri":"ui://a"}${'}'.repeat(5_000)}`;
  expect(rewriteUris(deep, 'one')).toBeUndefined();
});
