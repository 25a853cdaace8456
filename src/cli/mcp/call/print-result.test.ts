import { expect, test } from 'vitest';
import { toText } from './print-result.ts';

const show = ({ mimeType, data }: { mimeType: string; data: string }) => `<${mimeType} ${data}>`;

test.each([
  [
    'text as it is, line by line',
    [
      { type: 'text', text: 'a\n\tb' },
      { type: 'text', text: 'c' },
    ],
    'a\n\tb\nc',
  ],
  [
    'text without what steers a terminal',
    [{ type: 'text', text: '\u001b]8;;http://x\u0007link\u001b]8;;\u0007\u202e!' }],
    'link!',
  ],
  [
    'pictures and sounds',
    [
      { type: 'image', data: 'AA', mimeType: 'image/png' },
      { type: 'audio', data: 'BB' },
    ],
    '<image/png AA>\n<application/octet-stream BB>',
  ],
  ['links', [{ type: 'resource_link', uri: 'x://y\nz', name: 'Y' }], '[resource_link x://y z Y]'],
  ['embedded text', [{ type: 'resource', resource: { uri: 'x://y', text: 'hi' } }], '[resource x://y]\nhi'],
  [
    'embedded bytes',
    [{ type: 'resource', resource: { uri: 'x://y', blob: 'CC', mimeType: 'a/b' } }],
    '[resource x://y] <a/b CC>',
  ],
  ['what nobody knows', [{ type: 'hologram', depth: 3 }], '[hologram] {"type":"hologram","depth":3}'],
  ['what is no part at all', [null, 5, 'x\u001b[2J'], 'null\n5\n"x\\u001b[2J"'],
  ['a text where parts should be', 'x', '"x"'],
  ['an object where parts should be', { type: 'text', text: 'hi' }, 'hi'],
  ['nothing', [], ''],
  ['nothing that is named', undefined, ''],
])('%s', (_, content, shown) => {
  expect(toText({ content }, { renderMedia: show, isRaw: false })).toBe(shown);
});

test('structured content is shown where there is no text', () => {
  const structuredContent = { sum: 3 };
  expect([
    toText({ structuredContent }, { renderMedia: show, isRaw: false }),
    toText({ content: [{ type: 'text', text: '3' }], structuredContent }, { renderMedia: show, isRaw: false }),
  ]).toEqual(['{\n  "sum": 3\n}', '3']);
});

test('raw text is as it is; what is no text of the tool still steers nothing', () => {
  const content = [
    { type: 'text', text: '\u001b[31mred\u202e\r\n' },
    { type: 'resource', resource: { uri: 'x://y\u001b[2J', text: '\u0007' } },
    { type: 'image', data: 'AA', mimeType: 'image/png' },
  ];
  expect(toText({ content }, { renderMedia: show, isRaw: true })).toBe(
    '\u001b[31mred\u202e\r\n\n[resource x://y]\n\u0007\n<image/png AA>',
  );
});
