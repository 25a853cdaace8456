export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The largest image that is accepted: decoding a larger one takes hundreds of megabytes. */
export const MAX_PIXELS = 50_000_000;

/** Returns the size in the header of a PNG, GIF, WebP or JPEG; undefined for other formats. Decodes no image data. */
export function readImageSize(image: Buffer): ImageSize | undefined {
  if (image.length < 30) return undefined;
  if (image.readUInt32BE(0) === 0x89504e47) return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
  if (image.toString('latin1', 0, 4) === 'GIF8') return { width: image.readUInt16LE(6), height: image.readUInt16LE(8) };
  if (image.toString('latin1', 8, 12) === 'WEBP') return sizeOfWebp(image);
  return image.readUInt16BE(0) === 0xffd8 ? sizeOfJpeg(image) : undefined;
}

function sizeOfWebp(image: Buffer): ImageSize | undefined {
  switch (image.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: image.readUIntLE(24, 3) + 1, height: image.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = image.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    default:
      return { width: image.readUInt16LE(26) & 0x3fff, height: image.readUInt16LE(28) & 0x3fff };
  }
}

/** Skips to the frame header, which follows any number of segments. Each segment states its length. */
function sizeOfJpeg(image: Buffer): ImageSize | undefined {
  for (let at = 2; at + 9 <= image.length; ) {
    const marker = image.readUInt8(at + 1);
    if (image.readUInt8(at) !== 0xff) return undefined;
    if (marker === 0xff) at++;
    else if (isFrame(marker)) return { width: image.readUInt16BE(at + 7), height: image.readUInt16BE(at + 5) };
    else at += 2 + image.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Accepts SOF0 to SOF15, except DHT, JPG and DAC, whose markers are in the same range. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
