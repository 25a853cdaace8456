import { describe, expect, test } from 'vitest';
import { DEPTH_VARIABLE, nextLaunchDepth } from './launch-depth.ts';

describe('how deep we are', () => {
  test.each([
    [undefined, 1],
    ['', 1],
    ['nonsense', 1],
    ['-3', 1],
    ['1.5', 1],
    ['0', 1],
    ['1', 2],
    ['3', 4],
  ])('below %j comes %i', (value, expected) => {
    expect(nextLaunchDepth({ [DEPTH_VARIABLE]: value })).toBe(expected);
  });

  test.each(['4', '5', '999999999'])('at %s a gateway has started itself', (value) => {
    expect(() => nextLaunchDepth({ SWITCHBOARD_DEPTH: value })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(`started by ${value} others`),
      }),
    );
  });
});
