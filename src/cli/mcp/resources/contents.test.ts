import { describe, expect, test } from 'vitest';
import { formatBytes } from '../../terminal/byte-size.ts';
import { contentText, parseContents } from './contents.ts';

describe('an invalid response', () => {
  test.each([
    [{}, 'no list of contents'],
    [{ contents: {} }, 'no list of contents'],
    [{ contents: ['text'] }, 'contents that are not objects'],
    [{ contents: [{ uri: 'a://b' }] }, 'contents with neither text nor blob'],
    [{ contents: [{ uri: 'a://b', blob: 7 }] }, 'contents with neither text nor blob'],
    [{ contents: [{ uri: 'a://b', blob: 'not base64!' }] }, 'a blob that is not base64'],
  ])('%j is reported with the reason', (result, what) => {
    expect(() => parseContents(result, 'one')).toThrow(`one: resources/read: the server sent ${what}.`);
  });
});

const only = (content: object) => {
  const [first] = parseContents({ contents: [content] }, 'one');
  if (first === undefined) throw new Error('There is nothing.');
  return first;
};

test('prints text without control sequences, or unchanged if raw', () => {
  const content = only({ uri: 'a://b', text: 'a\u001b[31mb\n\tc\n\n' });
  expect(contentText(content, { isRaw: false })).toBe('ab\n\tc\n');
  expect(contentText(content, { isRaw: true })).toBe('a\u001b[31mb\n\tc\n');
  expect(content.bytes.toString()).toBe('a\u001b[31mb\n\tc\n\n');
});

test('describes binary content by type and size', () => {
  const content = only({ uri: 'a://b c', blob: 'AAECAw==', mimeType: 'image/png' });
  expect([...content.bytes]).toEqual([0, 1, 2, 3]);
  expect(contentText(content, { isRaw: false })).toBe(
    '[image/png, 4 bytes: "a://b c"; --output <file> writes it to a file]',
  );
});

test('formats sizes in readable units', () => {
  expect([0, 1, 1_023, 1_024, 12_595, 5 * 1_024 ** 2].map(formatBytes)).toEqual([
    ...['0 bytes', '1 byte', '1023 bytes', '1.0 KiB', '12.3 KiB', '5.0 MiB'],
  ]);
});
