import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import { isIntroducer, sequenceEnd } from './escape-sequence.ts';

/** The same sequence as a pattern. */
const SEQUENCE = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0090\u0098\u009b-\u009f]*(?:\u0007|\u001b\\|\u009c)`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'y',
);

test('a sequence ends where the ECMA-48 pattern ends', () => {
  const unit = fc.constantFrom(...'\u001b\u0090\u0098\u009b\u009c\u009d\u009f\u0007[]\\PX^_;0?m@~ /!\u0085a');
  const text = fc.array(unit, { minLength: 1, maxLength: 8 }).map((units) => units.join(''));
  fc.assert(
    fc.property(text, (found) => {
      fc.pre(isIntroducer(found.charCodeAt(0)));
      SEQUENCE.lastIndex = 0;
      expect(sequenceEnd(found, 0)).toBe(SEQUENCE.exec(found)?.[0].length ?? 0);
    }),
    propertyRuns(500),
  );
});

test('only these code units start a sequence', () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => unit);
  expect(units.filter(isIntroducer)).toEqual([0x1b, 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f]);
});
