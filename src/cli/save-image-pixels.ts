export interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** More than this is no picture that anybody wants to look at: opened, it would take gigabytes. */
export const MAX_PIXELS = 100_000_000;

/** What the head of a PNG, GIF, JPEG or WebP says of its size; undefined for others. Nothing is unpacked. */
export function readPixels(bytes: Buffer): Pixels | undefined {
  if (bytes.length < 30) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47) return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 0, 4) === 'GIF8') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (bytes.toString('latin1', 8, 16) === 'WEBPVP8X')
    return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  return bytes.readUInt16BE(0) === 0xffd8 ? readJpeg(bytes) : undefined;
}

/** The first of its segments that begins a frame tells the size. */
function readJpeg(bytes: Buffer): Pixels | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
