import { toUSVString } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shorten } from './shorten.ts';

/** Lines and characters of every width, more of them than are shown. */
const texts = fc
  .array(fc.oneof(fc.constantFrom('\n', 'a', 'é', '日', '😀', '\r\n', 'words '), fc.string({ unit: 'binary' })), {
    minLength: 1,
    maxLength: 40,
  })
  .map((parts) => toUSVString(parts.join('')));

test('what is shown is the beginning and the end of the bytes, with whole characters', () => {
  fc.assert(
    fc.property(texts, fc.nat(60), (text, maxBytes) => {
      const whole = Buffer.from(text);
      fc.pre(whole.length > maxBytes);
      const shown = shorten(text, { bytes: whole.length, maxBytes, reference: 'r' });
      const [, count = '', offset = ''] =
        /\n\[(\d+) bytes left out here; read the rest with mcp_result_read \{"reference":"r","offset":(\d+)\}\]\n/.exec(
          shown.bytes.toString(),
        ) ?? [];
      const head = Number(offset);
      const tail = head + Number(count);
      expect(head).toBeLessThanOrEqual(maxBytes - Math.floor(maxBytes / 3));
      expect(whole.length - tail).toBeLessThanOrEqual(Math.floor(maxBytes / 3));
      const start = shown.placeOf(tail);
      expect([shown.bytes.subarray(0, head), shown.bytes.subarray(start)]).toEqual([
        whole.subarray(0, head),
        whole.subarray(tail),
      ]);
      expect(toUSVString(shown.bytes.toString())).not.toContain('\ufffd'.repeat(1 + text.split('\ufffd').length));
    }),
  );
});
