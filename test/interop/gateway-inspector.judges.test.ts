import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { inspect } from '../judges/inspector.ts';
import { trackProcesses } from '../processes.ts';
import { gatewayFor, longTimeoutEnv, officialServer } from './programs.ts';

const processes = trackProcesses();

test('the Inspector lists and calls through the gateway', { timeout: 120_000 }, async () => {
  using gateway = gatewayFor({ everything: officialServer('everything'), behaved: fixture('well-behaved') });
  const ask = (...method: string[]) =>
    inspect({ method, server: [gateway.command, ...gateway.args], env: processes.env(longTimeoutEnv) });
  // Each command uses a new gateway immediately, before anything has been listed.
  const answers = await Promise.all([
    ask('tools/list'),
    ask('tools/call', '--tool-name', 'behaved__add', '--tool-arg', 'a=1', '--tool-arg', 'b=2'),
    ask('prompts/get', '--prompt-name', 'everything__args-prompt', '--prompt-args', 'city=Bern'),
    ask('resources/read', '--uri', 'demo://resource/static/document/features.md'),
  ]);
  expect(answers).toMatchObject([
    {
      result: {
        tools: expect.arrayContaining([
          expect.objectContaining({ name: 'everything__get-sum', title: 'Get Sum Tool' }),
          expect.objectContaining({ name: 'behaved__add', annotations: { readOnlyHint: true, idempotentHint: true } }),
        ]),
      },
    },
    { result: { structuredContent: { sum: 3 } } },
    { result: { messages: [{ role: 'user', content: { text: "What's weather in Bern?" } }] } },
    { result: { contents: [{ mimeType: 'text/markdown' }] } },
  ]);
});
