import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { type CommandLine, gatewayFor, longTimeoutEnv } from '../interop/programs.ts';
import { runCodexExec } from './exec.ts';
import { createCodexHome } from './home.ts';
import { openModel } from './model.ts';
import { toolOutputs } from './model-request.ts';
import { script } from './script.ts';

/** Valid JSON that Codex's parser rejects. Codex then drops the line and waits for its own timeout. */
const answer = (more: string) =>
  `{"jsonrpc":"2.0","id":"$id","result":{"content":[{"type":"text","text":"fine"}],${more}}}`;
const failure = (message: string, data = 'null') =>
  `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"${message}","data":${data}}}`;
const news = (method: string, params: string) =>
  `{"jsonrpc":"2.0","method":"notifications/${method}","params":${params}}`;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
/** The nesting depth of the whole line: the message, its result and the structured content are three of the levels. */
const ofDepth = (levels: number) => answer(`"structuredContent":{"nested":${nested(levels - 3)}}`);
const saying = (text: string) => answer(`"structuredContent":{"said":"${text}"}`);

test('Codex reads 127 levels of nesting, and drops a line with 128 or with a lone surrogate', async () => {
  const direct = { ...fixture('says-anything'), tool_timeout_sec: 6 };
  const outputs = await callEach(direct, 'say', [
    [ofDepth(127)],
    [ofDepth(128)],
    [saying('\\ud800')],
    [saying('\\ud83d\\ude00')],
  ]);
  expect(outputs).toEqual([
    expect.stringContaining(nested(124)),
    expect.stringContaining('timed out awaiting tools/call'),
    expect.stringContaining('timed out awaiting tools/call'),
    expect.stringContaining('😀'),
  ]);
});

test('through the gateway a result with 127 levels reaches the model, and a deeper one is an error at once', async () => {
  using gateway = gatewayFor({ bad: fixture('says-anything') });
  const outputs = await callEach(settings(gateway), 'bad__say', [
    [ofDepth(127)],
    [ofDepth(128)],
    [failure('deep', nested(124))],
    [failure('deeper', nested(3_000))],
    [news('message', `{"level":"info","data":${nested(200)}}`), saying('after a log message')],
    [news('progress', `{"progressToken":"$token","progress":1,"deep":${nested(200)}}`), saying('after progress')],
  ]);
  expect(outputs).toEqual([
    expect.stringContaining(nested(124)),
    expect.stringContaining('Server error: tools/call: the answer is nested deeper than 127 levels.'),
    expect.stringContaining('Server error: deep'),
    expect.stringContaining('Server error: deeper'),
    expect.stringContaining('after a log message'),
    expect.stringContaining('after progress'),
  ]);
});

test('through the gateway a lone surrogate becomes U+FFFD, and pairs are unchanged', async () => {
  using gateway = gatewayFor({ bad: fixture('says-anything') });
  const outputs = await callEach(settings(gateway), 'bad__say', [
    [saying('first \\ud800.')],
    [saying(`second \\uDFFF. ${'x'.repeat(10_000)}`)],
    [saying('\\ud83d\\ude00 \\\\ud800 \\ud83d\\ud83d\\ude00')],
    [answer('"structuredContent":{"key \\ud800":1}')],
    [answer('"_meta":{"unseen":"\\ud800"}')],
    [failure('broken \\ud800')],
    [news('message', '{"level":"info","data":"\\ud800"}'), saying('after a log message')],
  ]);
  expect(outputs).toEqual([
    expect.stringContaining('first \ufffd.'),
    expect.stringContaining('second \ufffd.'),
    expect.stringContaining('"😀 \\\\ud800 \ufffd😀"'),
    expect.stringContaining('key \ufffd'),
    expect.stringContaining('fine'),
    expect.stringContaining('Server error: broken \ufffd'),
    expect.stringContaining('after a log message'),
  ]);
});

/** Returns what the model receives for each call when the tool writes these lines. */
async function callEach(
  server: Readonly<Record<string, unknown>>,
  tool: string,
  calls: readonly (readonly string[])[],
): Promise<readonly string[]> {
  await using model = await openModel();
  const mcpServers = { gw: { ...server, default_tools_approval_mode: 'approve' } as never };
  await using home = await createCodexHome({ modelUrl: model.url, model: 'a-name-codex-does-not-know', mcpServers });
  const steps = calls.map((lines) => ({
    mcp: { server: 'gw', tool, arguments: { lines: [...lines], answers: false } },
  }));
  const run = await runCodexExec({ home, prompt: script([...steps, { message: 'done' }]), timeoutMs: 55_000 });
  expect(run.exitCode, `${run.stderr}\n${JSON.stringify(run.events)}`).toBe(0);
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolOutputs(last);
}

function settings({ command, args }: CommandLine) {
  return { command, args, env: longTimeoutEnv };
}
