import { describe, expect, test } from 'vitest';
import { DEPTH_VARIABLE, nextLaunchDepth } from './launch-depth.ts';

describe('the launch depth', () => {
  test.each([
    [undefined, 1],
    ['', 1],
    ['nonsense', 1],
    ['-3', 1],
    ['1.5', 1],
    ['0', 1],
    ['1', 2],
    ['3', 4],
  ])('after %j is %i', (value, expected) => {
    expect(nextLaunchDepth({ [DEPTH_VARIABLE]: value })).toBe(expected);
  });

  test.each(['4', '5', '999999999'])('of %s means that a gateway has started itself', (value) => {
    expect(() => nextLaunchDepth({ SWITCHBOARD_DEPTH: value })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(`runs inside ${value} others:`),
      }),
    );
  });
});
