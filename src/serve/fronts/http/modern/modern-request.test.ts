import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../../test/property-runs.ts';
import { isObject } from '../../../../wire/messages.ts';
import { readCommonRequest } from '../../../../wire/relay/read-common-request.ts';
import { Envelopes } from './envelopes.ts';
import { decodeParts, type ModernRequest, toModernRequest } from './modern-request.ts';

const NAMES = ['name', 'uri', 'arguments', 'taskId', 'none', 'constructor'];
const text = fc.oneof(fc.string(), fc.constantFrom('a', '__proto__', 'progressToken', 'a"b', 'a\\b'));
const value = fc.oneof(fc.jsonValue(), text);
const members = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('name', 'uri', 'arguments', '_meta')), value));
const meta = fc.oneof(members.map(toObjectText), value.map(toText));

test('a request in the common form means the same decoded in parts as parsed', () => {
  const envelopes = new Envelopes();
  let decoded = 0;
  const property = fc.property(members, fc.array(meta, { maxLength: 2 }), fc.nat(), (given, metas, id) => {
    const params = [...given.map(toMemberText), ...metas.map((each) => `"_meta":${each}`)];
    const body = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{${params.join(',')}}}`;
    const parts = readCommonRequest([Buffer.from(body)]);
    // Undefined for a request in another form, which is parsed.
    if (parts === undefined) return;
    decoded++;
    const parsed: unknown = JSON.parse(body);
    const expected = toModernRequest(String(id), 'tools/call', isObject(parsed) ? parsed['params'] : undefined);
    // The second time, the envelope is a known one.
    for (let round = 0; round < 2; round++)
      expect(contentOf(decodeParts(parts, envelopes))).toEqual(contentOf(expected));
  });
  fc.assert(property, propertyRuns(300));
  expect(decoded).toBeGreaterThan(0);
});

function contentOf({ idText, method, envelope, param }: ModernRequest) {
  return { idText, method, meta: envelope.meta, params: NAMES.map(param) };
}

function toObjectText(given: readonly (readonly [string, unknown])[]): string {
  return `{${given.map(toMemberText).join(',')}}`;
}

function toMemberText([key, given]: readonly [string, unknown]): string {
  return `${JSON.stringify(key)}:${toText(given)}`;
}

function toText(given: unknown): string {
  return JSON.stringify(given);
}
