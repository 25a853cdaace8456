import { expect, test } from 'vitest';
import { unknownToolError, withAvailabilityHint } from './name-errors.ts';

const unknown = unknownToolError({ id: 'every', origin: { layer: 'global', file: 'config.json', line: 1 } }, 'ask', [
  'echo',
]);

test.each([
  [
    'through a gateway, whose client decides what is offered',
    { gatewayPid: 7, canPrompt: true },
    ' The gateway that runs (process id 7) may not be offered it for its client: try --direct.',
  ],
  [
    'where nobody can be asked',
    { gatewayPid: undefined, canPrompt: false },
    ' Some tools are there only where somebody can be asked: try it on a terminal.',
  ],
])('a tool that is not there may be there for others: %s', (_, offer, advice) => {
  const { code, message, data } = withAvailabilityHint(unknown, offer);
  expect({ code, message, data }).toEqual({
    code: 'TOOL_NOT_FOUND',
    message: `${unknown.message}${advice}`,
    data: { ...unknown.data, gatewayPid: offer.gatewayPid },
  });
});

test('a tool that is not there for us, who can do everything, is not there', () => {
  expect(withAvailabilityHint(unknown, { gatewayPid: undefined, canPrompt: true })).toBe(unknown);
});
