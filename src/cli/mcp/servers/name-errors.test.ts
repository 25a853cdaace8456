import { expect, test } from 'vitest';
import { unknownToolError, withAvailabilityHint } from './name-errors.ts';

const unknown = unknownToolError({ id: 'every', origin: { layer: 'global', file: 'config.json', line: 1 } }, 'ask', [
  'echo',
]);

test.each([
  [
    'a gateway, whose client decides which tools it offers',
    { gatewayPid: 7, canPrompt: true },
    ' The server may not offer this tool to the client of the running gateway (process id 7): try --direct.',
  ],
  [
    'no way to prompt the user',
    { gatewayPid: undefined, canPrompt: false },
    ' Some tools are offered only if the user can be prompted: try it on a terminal.',
  ],
])('explains why an unknown tool may be available elsewhere: %s', (_, offer, advice) => {
  const { code, message, data } = withAvailabilityHint(unknown, offer);
  expect({ code, message, data }).toEqual({
    code: 'TOOL_NOT_FOUND',
    message: `${unknown.message}${advice}`,
    data: { ...unknown.data, gatewayPid: offer.gatewayPid },
  });
});

test('adds no hint for a direct connection that can prompt', () => {
  expect(withAvailabilityHint(unknown, { gatewayPid: undefined, canPrompt: true })).toBe(unknown);
});
