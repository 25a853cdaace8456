import { expect, test } from 'vitest';
import { Envelopes } from './envelopes.ts';

const KEY = 'io.modelcontextprotocol';
const META = { [`${KEY}/clientCapabilities`]: {}, [`${KEY}/clientInfo`]: { name: 'a', version: '1' } };

function target(tokenId: string, path = '/mcp') {
  return { path, principal: { tokenId } };
}

test('an envelope is parsed once', () => {
  const envelopes = new Envelopes();
  const envelope = envelopes.parse(JSON.stringify(META));
  expect(envelope.meta).toEqual(META);
  expect(envelopes.parse(JSON.stringify(META))).toBe(envelope);
});

test('an envelope with a progress token, or a long one, is not kept', () => {
  const envelopes = new Envelopes();
  for (const meta of [
    { ...META, progressToken: 0 },
    { ...META, x: 'x'.repeat(1024) },
  ]) {
    const text = JSON.stringify(meta);
    expect(envelopes.parse(text)).not.toBe(envelopes.parse(text));
  }
});

test('the number of kept envelopes is limited', () => {
  const envelopes = new Envelopes();
  const first = envelopes.parse('{"x":0}');
  for (let x = 1; x <= 1000; x++) envelopes.parse(`{"x":${x}}`);
  expect(envelopes.parse('{"x":0}')).not.toBe(first);
});

test.each(['[]', '7', 'null', '"text"'])('%s is an envelope without members', (text) => {
  expect(new Envelopes().parse(text).meta).toEqual({});
});

test('the same envelope describes another client with another token, path or thread', () => {
  const envelopes = new Envelopes();
  const describe = (tokenId: string, path: string, meta: object) =>
    envelopes.parse(JSON.stringify(meta)).describe(target(tokenId, path));
  const senders: readonly (readonly [string, string, object])[] = [
    ['alice', '/mcp', META],
    ['bob', '/mcp', META],
    ['alice', '/other', META],
    ['alice', '/mcp', { ...META, threadId: 't' }],
    ['alice', '/mcp', { ...META, [`${KEY}/clientInfo`]: { name: 'b', version: '1' } }],
  ];
  const descriptions = senders.map((sender) => describe(...sender));
  expect(new Set(descriptions).size).toBe(senders.length);
  expect(senders.map((sender) => describe(...sender))).toEqual(descriptions);
  expect(describe('alice', '/mcp', { ...META, progressToken: 1 })).toBe(descriptions[0]);
});
