import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runCodexExec } from './exec.ts';
import { type CodexHome, createCodexHome } from './home.ts';
import { isObject, type JsonObject } from './json.ts';
import { type Model, openModel } from './model.ts';
import { toolOutputs } from './model-request.ts';
import { script } from './script.ts';
import { surfaceOf } from './surface.ts';

const echo = { command: process.execPath, args: [fileURLToPath(new URL('echo-server.mjs', import.meta.url))] };
const patch = '*** Begin Patch\n*** Add File: note.txt\n+written by a patch\n*** End Patch';
const timeoutMs = 50_000;

describe.each([
  { name: 'a-name-codex-does-not-know', surface: 'direct', requests: 4 },
  { name: 'gpt-5.5', surface: 'search', requests: 5 },
  { name: 'gpt-6.1-sol', surface: 'code', requests: 4 },
])('the $surface surface of $name', ({ name, surface, requests }) => {
  test('runs a command, a patch and an MCP tool, and returns their output to the model', async () => {
    await using model = await openModel();
    await using home = await createCodexHome({ modelUrl: model.url, model: name, mcpServers: { 'echo-1': echo } });
    const run = await runCodexExec({
      home,
      args: ['-s', 'workspace-write'],
      prompt: script(
        [
          { reasoning: 'I could look around.' },
          { message: 'I look around.' },
          { shell: 'echo from the shell' },
          { patch },
          { message: 'I ask.' },
          { mcp: { server: 'echo-1', tool: 'echo', arguments: { text: 'from "MCP"' } } },
          { usage: { input_tokens: 100, cached_input_tokens: 90, output_tokens: 20, reasoning_output_tokens: 7 } },
          { message: 'All done.' },
        ],
        'Please do these things.',
      ),
      timeoutMs,
    });

    expect(run.exitCode, JSON.stringify(run)).toBe(0);
    expect(completedItems(run.events)).toEqual([
      { type: 'reasoning', text: 'I could look around.' },
      { type: 'agent_message', text: 'I look around.' },
      {
        type: 'command_execution',
        command: "/bin/bash -lc 'echo from the shell'",
        aggregated_output: 'from the shell\n',
        exit_code: 0,
        status: 'completed',
      },
      { type: 'file_change', changes: [{ path: join(home.workDir, 'note.txt'), kind: 'add' }], status: 'completed' },
      { type: 'agent_message', text: 'I ask.' },
      {
        type: 'mcp_tool_call',
        server: 'echo-1',
        tool: 'echo',
        arguments: { text: 'from "MCP"' },
        result: { content: [{ type: 'text', text: 'echo: from "MCP"' }], structured_content: null },
        error: null,
        status: 'completed',
      },
      { type: 'agent_message', text: 'All done.' },
    ]);
    expect(run.events.at(-1)).toMatchObject({
      type: 'turn.completed',
      usage: { cached_input_tokens: 90, reasoning_output_tokens: 7 },
    });
    expect(await readFile(join(home.workDir, 'note.txt'), 'utf8')).toBe('written by a patch\n');

    expect(model.requests.map(surfaceOf)).toEqual(Array(requests).fill(surface));
    const outputs = lastOutputs(model);
    expect(outputs).toHaveLength(3);
    expect(outputs[0]).toContain('from the shell');
    expect(outputs[2]).toMatch(/echo: from \\?"MCP\\?"/u);
  });

  test('makes several calls in one response', async () => {
    await using model = await openModel();
    await using home = await createCodexHome({ modelUrl: model.url, model: name, mcpServers: { echo } });
    const calls = [
      { mcp: { server: 'echo', tool: 'echo', arguments: { text: 'one' } } },
      { shell: 'echo two' },
      { tool: { name: 'get_goal' } },
      { tool: { name: 'request_user_input', arguments: { questions: [] } } },
    ];
    const run = await runCodexExec({ home, prompt: script([{ calls }, { message: 'done' }]), timeoutMs });

    expect(run.exitCode, JSON.stringify(run)).toBe(0);
    const output = lastOutputs(model).join('\n');
    for (const part of ['echo: one', 'two', '"goal":null', 'request_user_input']) expect(output).toContain(part);
    expect(model.requests).toHaveLength(surface === 'search' ? 3 : 2);
  });

  test('rejects a script with an unknown MCP server, or reports it to the model', async () => {
    await using model = await openModel();
    await using home: CodexHome = await createCodexHome({ modelUrl: model.url, model: name });
    const prompt = script([{ mcp: { server: 'nobody', tool: 'echo' } }, { message: 'done' }]);
    const run = await runCodexExec({ home, prompt, timeoutMs });

    const reported = surface === 'code' ? lastOutputs(model).join() : JSON.stringify(run.events.at(-1));
    expect(reported).toMatch(/mcp__nobody/u);
    expect(run.exitCode).toBe(surface === 'code' ? 0 : 1);
  });
});

/** The completed items, without Codex's ids and warnings. */
function completedItems(events: readonly JsonObject[]): readonly unknown[] {
  return events
    .filter((event) => event['type'] === 'item.completed')
    .map((event) => event['item'])
    .filter(isObject)
    .filter((item) => item['type'] !== 'error')
    .map(({ id: _, ...item }) => item);
}

function lastOutputs(model: Model): readonly string[] {
  const last = model.requests.at(-1);
  return last === undefined ? [] : toolOutputs(last);
}
