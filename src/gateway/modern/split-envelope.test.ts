import { expect, test } from 'vitest';
import { frameText } from '../../wire/frame.ts';
import { splitEnvelope } from './split-envelope.ts';

const VERSION = '"io.modelcontextprotocol/protocolVersion":"2026-07-28"';
const CAPABILITIES = '"io.modelcontextprotocol/clientCapabilities":{}';

function split(text: string) {
  const request = splitEnvelope([Buffer.from(text)]);
  return request && { ...request, legacy: frameText(request.withMeta(request.legacyMeta())) };
}

test('the envelope is removed and every other byte stays', () => {
  const meta = `{${VERSION}, "progressToken" : 9007199254740993,${CAPABILITIES},"x": 1.0 }`;
  const request = split(
    `{"id":1e2,"method":"tools/call","params":{"name":"é","_meta":${meta},"arguments":{"a": 1.0}}}`,
  );
  expect(request).toMatchObject({
    ...{ idText: '1e2', method: 'tools/call', metaText: meta },
    legacy:
      '{"id":1e2,"method":"tools/call","params":{"name":"é","_meta":{"progressToken":9007199254740993,"x":1.0},"arguments":{"a": 1.0}}}',
  });
  expect(request?.param('arguments')).toBe('{"a": 1.0}');
  expect(request?.param('none')).toBeUndefined();
});

test('of duplicate members the last counts, as for JSON.parse', () => {
  const request = split('{"id":1,"id":2,"method":"a","method":"b","params":{"_meta":{"x":1},"_meta":{"x":2}}}');
  expect(request).toMatchObject({ idText: '2', method: 'b', metaText: '{"x":2}' });
});

test.each([
  '{"method":"notifications/cancelled"}',
  '{"id":1,"result":{}}',
  '{"id":null,"method":"ping"}',
  '{"id":{},"method":"ping"}',
  '{"id":1,"method":7}',
  '[{"id":1,"method":"ping"}]',
  '{"id":1,"method":"ping"',
])('%s is not a request', (text) => {
  expect(split(text)).toBeUndefined();
});

test.each(['{"id":1,"method":"m"}', '{"id":1,"method":"m","params":7}', '{"id":1,"method":"m","params":{}}'])(
  '%s has no envelope and stays the same',
  (text) => {
    expect(split(text)).toMatchObject({ metaText: '{}', legacy: text });
  },
);
