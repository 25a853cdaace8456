import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { inspect } from '../judges/inspector.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const tool = {
  name: 'echo',
  description: 'Says the message again.',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  annotations: { readOnlyHint: true },
};

test('the Inspector lists and calls the ten-line server of the README', { timeout: 120_000 }, async () => {
  const echo = fileURLToPath(new URL('../../examples/echo.mjs', import.meta.url));
  const options = { server: [process.execPath, echo], env: processes.env() };
  expect(await inspect({ ...options, method: ['tools/list'] })).toEqual({ result: { tools: [tool] } });
  const call = ['tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi'];
  expect(await inspect({ ...options, method: call })).toMatchObject({
    result: { content: [{ type: 'text', text: 'You said: hi' }] },
  });
});
