import { expect, test } from 'vitest';
import { toText } from './print-result.ts';

const show = ({ mimeType, data }: { mimeType: string; data: string }) => `<${mimeType} ${data}>`;

test.each([
  [
    'text unchanged, each part on its own line',
    [
      { type: 'text', text: 'a\n\tb' },
      { type: 'text', text: 'c' },
    ],
    'a\n\tb\nc',
  ],
  [
    'text without terminal control sequences',
    [{ type: 'text', text: '\u001b]8;;http://x\u0007link\u001b]8;;\u0007\u202e!' }],
    'link!',
  ],
  [
    'images and audio',
    [
      { type: 'image', data: 'AA', mimeType: 'image/png' },
      { type: 'audio', data: 'BB' },
    ],
    '<image/png AA>\n<application/octet-stream BB>',
  ],
  ['resource links', [{ type: 'resource_link', uri: 'x://y\nz', name: 'Y' }], '[resource_link x://y z Y]'],
  ['embedded text', [{ type: 'resource', resource: { uri: 'x://y', text: 'hi' } }], '[resource x://y]\nhi'],
  [
    'embedded binary data',
    [{ type: 'resource', resource: { uri: 'x://y', blob: 'CC', mimeType: 'a/b' } }],
    '[resource x://y] <a/b CC>',
  ],
  ['an unknown type', [{ type: 'hologram', depth: 3 }], '[hologram] {"type":"hologram","depth":3}'],
  ['parts that are not objects', [null, 5, 'x\u001b[2J'], 'null\n5\n"x\\u001b[2J"'],
  ['a string in place of the parts', 'x', '"x"'],
  ['an object in place of the parts', { type: 'text', text: 'hi' }, 'hi'],
  ['nothing', [], ''],
  ['no content', undefined, ''],
])('%s', (_, content, shown) => {
  expect(toText({ content }, { renderMedia: show, isRaw: false })).toBe(shown);
});

test('prints structured content if there is no text', () => {
  const structuredContent = { sum: 3 };
  expect([
    toText({ structuredContent }, { renderMedia: show, isRaw: false }),
    toText({ content: [{ type: 'text', text: '3' }], structuredContent }, { renderMedia: show, isRaw: false }),
  ]).toEqual(['{\n  "sum": 3\n}', '3']);
});

test('prints raw text unchanged, and strips control sequences from everything else', () => {
  const content = [
    { type: 'text', text: '\u001b[31mred\u202e\r\n' },
    { type: 'resource', resource: { uri: 'x://y\u001b[2J', text: '\u0007' } },
    { type: 'image', data: 'AA', mimeType: 'image/png' },
  ];
  expect(toText({ content }, { renderMedia: show, isRaw: true })).toBe(
    '\u001b[31mred\u202e\r\n\n[resource x://y]\n\u0007\n<image/png AA>',
  );
});
