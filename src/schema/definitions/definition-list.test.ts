import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { MAX_ITEMS, readDefinitionList } from './definition-list.ts';

const tool = (name: unknown, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

test('drops only the invalid tools', () => {
  const list = readDefinitionList('tools', [
    pageOf([tool('good'), null, tool(''), { name: 'bare' }, tool(7), 'text', tool('also good'), tool('\u001b[2Jx')]),
  ]);
  expect({ ...list, items: list.items.map(({ key }) => key) }).toEqual({
    items: ['good', 'bare', 'also good', '\u001b[2Jx'],
    quarantined: [
      { name: undefined, reason: 'it is not an object' },
      { name: undefined, reason: 'its name is empty' },
      { name: undefined, reason: 'its name is not text' },
      { name: undefined, reason: 'it is not an object' },
    ],
    repairs: [
      { name: 'bare', repair: 'inputSchema was missing; any arguments are accepted' },
      { name: 'x', repair: 'hidden characters are removed from the displayed name' },
    ],
  });
});

test('keeps the first of two items with the same key, also across pages', () => {
  const pages = [pageOf([tool('twin', { title: 'first' }), tool('twin')]), pageOf([tool('twin'), tool('Twin')])];
  const list = readDefinitionList('tools', pages);
  expect(list.items.map(({ json }) => JSON.parse(json))).toEqual([tool('twin', { title: 'first' }), tool('Twin')]);
  expect(list.quarantined).toEqual([
    { name: 'twin', reason: 'another tool has the same name' },
    { name: 'twin', reason: 'another tool has the same name' },
  ]);
});

test('distinguishes resources by URI', () => {
  const list = readDefinitionList('resources', [
    pageOf([
      { uri: 'a:1', name: 'x' },
      { uri: 'a:2', name: 'x' },
      { uri: 'a:1', name: 'y' },
    ]),
  ]);
  expect(list.items.map(({ key }) => key)).toEqual(['a:1', 'a:2']);
  expect(list.quarantined).toEqual([{ name: 'a:1', reason: 'another resource has the same uri' }]);
});

test('truncates a list over the limit, and counts the rest', () => {
  const list = readDefinitionList('prompts', [
    pageOf(Array.from({ length: MAX_ITEMS + 5 }, (_, index) => ({ name: `p${index}` }))),
  ]);
  expect(list.items).toHaveLength(MAX_ITEMS);
  expect(list.quarantined).toEqual([{ name: undefined, reason: '5 more: a server may list 10000 prompts' }]);
});

test('lists a tool between two bombs', () => {
  const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const wide = `{"name":"wide","inputSchema":{"anyOf":[${'{},'.repeat(100_000)}{}]}}`;
  const list = readDefinitionList('tools', [Buffer.from(`[ ${deep}, ${JSON.stringify(tool('good'))}, ${wide} ]`)]);
  expect(list.items.map(({ json }) => JSON.parse(json))).toEqual([tool('good')]);
  expect(list.quarantined).toEqual([
    { name: undefined, reason: 'it is nested more than 118 levels deep' },
    { name: 'wide', reason: 'it has more than 10000 objects and lists in it' },
  ]);
});

test.each(['[]', ' [ ] ', '{}', '', 'null', '[', '[,', '[}'])('%j lists nothing', (page) => {
  expect(readDefinitionList('tools', [Buffer.from(page)])).toEqual({ items: [], quarantined: [], repairs: [] });
});

test('lists or rejects every element of any list, and lists only JSON', () => {
  const element = fc.oneof(
    fc.jsonValue(),
    fc.record({ name: fc.oneof(fc.string(), fc.jsonValue()), inputSchema: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.array(element), fc.constantFrom(undefined, ' '), (elements, space) => {
      const { items, quarantined } = readDefinitionList('tools', [Buffer.from(JSON.stringify(elements, null, space))]);
      expect(items.length + quarantined.length).toBe(elements.length);
      for (const { key, json } of items)
        expect(JSON.parse(json)).toMatchObject({ name: key, inputSchema: { type: 'object' } });
    }),
    propertyRuns(300),
  );
});

test('never throws on broken bytes', () => {
  const whole = JSON.stringify([
    tool('a', { title: 'x\u200b', annotations: { title: 'y' }, description: 'é' }),
    { name: 'b' },
  ]);
  fc.assert(
    fc.property(fc.nat(whole.length), fc.string({ unit: 'binary', maxLength: 3 }), fc.nat(3), (place, put, removed) => {
      const page = Buffer.from(whole.slice(0, place) + put + whole.slice(place + removed));
      expect(readDefinitionList('tools', [page]).items.length).toBeLessThanOrEqual(3);
    }),
    propertyRuns(300),
  );
});

function pageOf(elements: readonly unknown[]): Buffer {
  return Buffer.from(JSON.stringify(elements));
}
