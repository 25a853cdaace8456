import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readImageSize } from '../../../base/image-size.ts';
import { describeMedia } from './media.ts';
import { createMediaSaver } from './save-media.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-save-'));
  folders.push(folder);
  return folder;
}

const data = Buffer.from('twelve bytes').toString('base64');

test('saves media under a generated name with owner-only permissions, and overwrites nothing', () => {
  const folder = join(newFolder(), 'deep', 'down');
  const save = createMediaSaver({ folder, temporary: '/nowhere' });
  expect(save({ mimeType: 'image/png', data })).toBe(`[image/png 12 bytes saved to ${folder}/image-1.png]`);
  writeFileSync(join(folder, 'audio-2.wav'), 'mine');
  expect(save({ mimeType: 'audio/wav', data })).toBe(`[audio/wav 12 bytes saved to ${folder}/audio-3.wav]`);
  expect(save({ mimeType: '../../evil/\u001b[31m', data })).toBe(
    `["../../evil/\\u001b[31m" 12 bytes saved to ${folder}/file-4.bin]`,
  );
  expect(readdirSync(folder)).toEqual(['audio-2.wav', 'audio-3.wav', 'file-4.bin', 'image-1.png']);
  expect([
    readFileSync(join(folder, 'audio-2.wav'), 'utf8'),
    statSync(join(folder, 'image-1.png')).mode & 0o777,
  ]).toEqual(['mine', 0o600]);
});

test('saves to a private temporary folder by default', () => {
  const temporary = newFolder();
  expect(createMediaSaver({ folder: undefined, temporary })({ mimeType: 'image/gif', data })).toContain('image-1.gif]');
  const [made = ''] = readdirSync(temporary);
  expect(statSync(join(temporary, made)).mode & 0o777).toBe(0o700);
});

test.each([
  ['too large', 'A'.repeat(70_000_000), '[image/png 50.1 MiB, not saved: larger than 50 MB]'],
  ['not base64', '<script>', '[image/png, not saved: it is not base64]'],
  [
    'a decompression bomb',
    png(60_000, 60_000).toString('base64'),
    '[image/png 33 bytes, not saved: 60000 × 60000 pixels are too many]',
  ],
])('describes media without saving it: %s', (_, bytes, described) => {
  const folder = newFolder();
  expect(createMediaSaver({ folder, temporary: folder })({ mimeType: 'image/png', data: bytes })).toBe(described);
  expect(readdirSync(folder)).toEqual([]);
});

test('reports a folder that is not writable', () => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  const save = createMediaSaver({ folder: join(file, 'x'), temporary: file });
  expect(() => save({ mimeType: 'image/png', data })).toThrow(/^Could not save to .*file\/x: /);
});

test('describes media if stdout is a pipe', () => {
  expect(describeMedia({ mimeType: 'image/png', data: 'A'.repeat(16 * 1024) })).toBe(
    '[image/png 12.0 KiB, not saved: --output <dir> saves it]',
  );
});

test('reads the size of an image from its header', () => {
  const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from([0x02, 0x01, 0x03, 0x00]), Buffer.alloc(30)]);
  const jpeg = Buffer.from([
    0xff,
    0xd8,
    0xff,
    0xe0,
    0,
    4,
    0,
    0,
    0xff,
    0xc2,
    0,
    17,
    8,
    0x01,
    0x00,
    0x02,
    0x00,
    ...Array(20).fill(0),
  ]);
  expect([png(7, 9), gif, jpeg, Buffer.alloc(40), Buffer.alloc(0)].map(readImageSize)).toEqual([
    { width: 7, height: 9 },
    { width: 258, height: 3 },
    { width: 512, height: 256 },
    undefined,
    undefined,
  ]);
});

function png(width: number, height: number): Buffer {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(17);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  return Buffer.concat([head, size]);
}
