import { toUSVString } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { truncateMiddle } from './truncate-middle.ts';

/** Lines, and characters of every width. */
const texts = fc
  .array(fc.oneof(fc.constantFrom('\n', 'a', 'é', '日', '😀', '\r\n', 'words '), fc.string({ unit: 'binary' })))
  .map((parts) => toUSVString(parts.join('')));

test('cuts at the same bytes as for the whole text, although it reads only the ends', () => {
  fc.assert(
    fc.property(texts, fc.nat(90), (text, maxBytes) => {
      const whole = Buffer.from(text);
      fc.pre(whole.length > maxBytes);
      const { head, tail } = cutsOf(whole, maxBytes);
      const marker = `\n[${tail - head} bytes left out here; read the rest with mcp_result_read {"reference":"r","offset":${head}}]\n`;
      const shown = truncateMiddle(text, maxBytes, 'r');
      expect(shown.bytes.toString()).toBe(`${whole.toString('utf8', 0, head)}${marker}${whole.toString('utf8', tail)}`);
      expect(shown.mapOffset(whole.length)).toBe(shown.bytes.length);
    }),
    propertyRuns(500),
  );
});

/** Two thirds from the beginning and one third from the end, both shortened to whole lines or characters. */
function cutsOf(whole: Buffer, maxBytes: number): { head: number; tail: number } {
  const isStart = (at: number) => at === whole.length || ((whole[at] ?? 0) & 0xc0) !== 0x80;
  const isLineStart = (at: number) => at === 0 || whole[at - 1] === 0x0a;
  const tailBytes = Math.floor(maxBytes / 3);
  const places = Array.from({ length: whole.length + 1 }, (_, at) => at).filter(isStart);
  const end = places.findLast((at) => at <= maxBytes - tailBytes) ?? 0;
  const lineEnd = places.findLast((at) => at <= end && isLineStart(at)) ?? 0;
  const start = places.find((at) => at >= whole.length - tailBytes) ?? 0;
  const lineStart = places.find((at) => at >= start && isLineStart(at)) ?? Number.POSITIVE_INFINITY;
  return {
    head: end - lineEnd <= end / 8 ? lineEnd : end,
    tail: lineStart - start <= (whole.length - start) / 8 ? lineStart : start,
  };
}
