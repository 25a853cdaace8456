import { expect, test } from 'vitest';
import { openModel } from './model.ts';
import { script } from './script.ts';
import type { Step } from './steps.ts';

const bad: readonly { text: string; reason: string }[] = [
  { text: 'hello', reason: 'no user message contains a script' },
  { text: '[[fake:[{"message":"a"}', reason: 'the script does not end with "]]]"' },
  { text: '[[fake:[{"message":"a"}]', reason: 'the script does not end with "]]]"' },
  { text: '[[fake:[nonsense]]]', reason: 'the script is not JSON' },
  { text: '[[fake:[]]]', reason: 'script must be a non-empty list' },
  { text: '[[fake:[7]]]', reason: 'step 0 must be an object' },
  { text: '[[fake:[{}]]]', reason: 'step 0: unknown kind ""' },
  { text: '[[fake:[{"constructor":1}]]]', reason: 'step 0: unknown kind "constructor"' },
  { text: '[[fake:[{"message":"a"},{"shell":7}]]]', reason: 'step 1: shell must be a string' },
  { text: '[[fake:[{"shell":"ls","opts":{}}]]]', reason: 'step 0: "shell" has no "opts"' },
  { text: '[[fake:[{"mcp":{"server":"a"}}]]]', reason: 'step 0: mcp.tool must be a string' },
  { text: '[[fake:[{"calls":[{"message":"a"}]}]]]', reason: 'step 0: calls[0]: unknown kind "message"' },
  { text: '[[fake:[{"delayMs":1e9}]]]', reason: 'step 0: delayMs must be a whole number from 0 to 60000' },
  { text: '[[fake:[{"error":200}]]]', reason: 'step 0: error must be a whole number from 400 to 599' },
  { text: '[[fake:[{"usage":{"tokens":1}}]]]', reason: 'step 0: usage has no "tokens"' },
  { text: '[[fake:[{"hang":true},{"message":"a"}]]]', reason: 'step 1: nothing can follow step 0' },
  { text: '[[fake:[{"message":"a"},{"error":500}]]]', reason: 'step 1: error must be the first thing' },
  { text: '[[fake:[{"tool":{"name":"fly"}}]]]', reason: 'tool: the model "m" has no "fly"' },
  { text: '[[fake:[{"javascript":"1"}]]]', reason: 'javascript: the model "m" has no tool that runs it' },
];

test.each(bad)('$text is rejected: $reason', async ({ text, reason }) => {
  await using model = await openModel();
  const response = await ask(model.url, [user(text)]);

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: { code: 'bad_script', message: expect.stringContaining(`bad script: ${reason}`) },
  });
});

test('a script may contain a script', async () => {
  await using model = await openModel();
  const inner = script([{ message: 'inner ]]] "quoted"' }]);
  expect(await events(model.url, [user(script([{ message: inner }], 'Say this: '))])).toContain(JSON.stringify(inner));
});

test('uses the last user message with a script, and the calls after it as its progress', async () => {
  await using model = await openModel();
  const steps: readonly Step[] = [
    { shell: 'one' },
    { calls: [{ shell: 'two' }, { shell: 'three' }] },
    { message: 'end' },
  ];
  const call = { type: 'function_call', name: 'exec_command', arguments: '{}' };
  const output = { type: 'function_call_output', output: '' };
  const before = [user(script([{ message: 'old' }])), { type: 'message', role: 'assistant', content: [] }];
  const start = [...before, user(script(steps))];

  expect(await events(model.url, start)).toContain('{\\"cmd\\":\\"one\\"}');
  expect(await events(model.url, [...start, call, output, user('hurry')])).toContain('{\\"cmd\\":\\"two\\"}');
  expect(await events(model.url, [...start, call, output, call, call, output, output])).toContain('"end"');
});

test('an error step sets the HTTP status', async () => {
  await using model = await openModel();
  expect((await ask(model.url, [user(script([{ delayMs: 1 }, { error: 429 }]))])).status).toBe(429);
});

test('rejects requests outside the Responses API', async () => {
  await using model = await openModel();
  expect((await fetch(`${model.url}/models`)).status).toBe(404);
  expect((await fetch(`${model.url}/responses`, { method: 'POST', body: 'no json' })).status).toBe(400);
  expect(model.requests).toEqual([]);
});

test('a client that disconnects during a response has no effect on others', async () => {
  await using model = await openModel();
  const leaving = new AbortController();
  const body = JSON.stringify({ model: 'm', input: [user(script([{ deltas: ['a', 'b', 'c'], paceMs: 20 }]))] });
  const response = await fetch(`${model.url}/responses`, { method: 'POST', body, signal: leaving.signal });
  leaving.abort();

  await expect(response.text()).rejects.toThrow();
  expect(await events(model.url, [user(script([{ deltas: ['d', 'e'], paceMs: 50 }]))])).toContain('"de"');
});

test('close ends a hanging response', async () => {
  const model = await openModel();
  const silent = expect(ask(model.url, [user(script([{ hang: true }]))])).rejects.toThrow();
  const stuck = await ask(model.url, [user(script([{ message: 'a' }, { hang: true }]))]);
  await model.close();
  await model.close();

  await silent;
  await expect(stuck.text()).rejects.toThrow();
});

function user(text: string): object {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

function ask(url: string, input: readonly object[]): Promise<Response> {
  const body = JSON.stringify({ model: 'm', input, tools: [] });
  return fetch(`${url}/responses`, { method: 'POST', body, signal: AbortSignal.timeout(30_000) });
}

async function events(url: string, input: readonly object[]): Promise<string> {
  const response = await ask(url, input);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  return response.text();
}
