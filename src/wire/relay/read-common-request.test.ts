import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { scanMembers } from '../json/scan.ts';
import { readCommonRequest } from './read-common-request.ts';

const read = (text: string) => readCommonRequest([Buffer.from(text)]);

const id = fc.oneof(fc.nat(), fc.stringMatching(/^[\w-]{1,64}$/));
const params = fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), fc.jsonValue());

test('finds the same members as the scan, with the id first or last', () => {
  const property = fc.property(id, params, (chosen, given) => {
    const method = 'tools/call';
    const idFirst = JSON.stringify({ jsonrpc: '2.0', id: chosen, method, params: given });
    const idLast = JSON.stringify({ method, params: given, jsonrpc: '2.0', id: chosen });
    for (const text of [idFirst, idLast]) {
      const found = read(text);
      // Undefined for a request in another form, which the scan reads.
      if (found === undefined) continue;
      const bytes = Buffer.from(text);
      const { start, end } = scanMembers(bytes)?.findLast(({ key }) => key === 'params') ?? { start: 0, end: 0 };
      expect(found).toMatchObject({ idText: JSON.stringify(chosen), method });
      expect(found.params).toEqual(scanMembers(bytes, start, end));
    }
  });
  fc.assert(property, propertyRuns(300));
});

test.each([
  '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"b":[1,2]}}}',
  '{"method":"tools/list","params":{},"jsonrpc":"2.0","id":"a-1"}',
])('reads %s', (text) => {
  expect(read(text)).toBeDefined();
});

test.each([
  '{"jsonrpc":"2.0","id":7,"method":"ping"}',
  '{"jsonrpc":"2.0", "id":7,"method":"a","params":{}}',
  '{"jsonrpc":"2.0","id":7,"method":"a","params":{"é":1}}',
  '{"jsonrpc":"2.0","id":7,"method":"a","params":{"b\\u0062":1}}',
  '{"jsonrpc":"2.0","id":7,"method":"a","params":{"b" :1}}',
  '{"jsonrpc":"2.0","id":7,"method":"a","params":{},"id":8}',
  '{"jsonrpc":"2.0","id":7,"method":"a","params":{}},{}}',
  '{"method":"a","params":{},"id":1,"params":{},"jsonrpc":"2.0","id":2}',
  '{"jsonrpc":"2.0","id":07,"method":"a","params":{}}',
  '{"jsonrpc":"2.0","id":7,"method":"a","params":{"b":}}',
  '{"jsonrpc":"2.0","id":7,"method":"a","params":{"b":1}',
])('leaves %s to the scan', (text) => {
  expect(read(text)).toBeUndefined();
});
