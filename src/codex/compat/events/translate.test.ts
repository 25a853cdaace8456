import { expect, test } from 'vitest';
import { toLegacyEvents } from './translate.ts';

const names = { thread_id: 't', turn_id: 'u' };
const at = { threadId: 't', turnId: 'u' };

/** The events that follow the message that every item has. */
function older(item: object, method = 'item/completed') {
  return toLegacyEvents(method, { ...at, item }).slice(1);
}

test('translates a plan with its steps', () => {
  const plan = [
    { step: 'one', status: 'completed' },
    { step: 'two', status: 'inProgress' },
  ];
  expect(toLegacyEvents('turn/plan/updated', { ...at, explanation: null, plan })).toEqual([
    {
      type: 'plan_update',
      explanation: null,
      plan: [
        { step: 'one', status: 'completed' },
        { step: 'two', status: 'in_progress' },
      ],
    },
  ]);
});

test('translates a renamed file, and reports a declined patch as failed', () => {
  const changes = [
    { path: '/ws/a', kind: { type: 'update', move_path: '/ws/b' }, diff: '@@' },
    { path: '/ws/c', kind: { type: 'delete' }, diff: 'gone\n' },
  ];
  expect(older({ type: 'fileChange', id: 'p', changes, status: 'declined' })).toEqual([
    {
      type: 'patch_apply_end',
      call_id: 'p',
      turn_id: 'u',
      success: false,
      changes: {
        '/ws/a': { type: 'update', unified_diff: '@@', move_path: '/ws/b' },
        '/ws/c': { type: 'delete', content: 'gone\n' },
      },
      status: 'declined',
    },
  ]);
});

test('translates the command actions that Codex recognized', () => {
  const commandActions = [
    { type: 'read', command: 'cat a', name: 'a', path: '/ws/a' },
    { type: 'listFiles', command: 'ls', path: null },
    { type: 'search', command: 'rg x', query: 'x', path: null },
  ];
  const item = { type: 'commandExecution', id: 'c', command: "bash -c 'cat a'", cwd: '/a b', commandActions };
  const begin = { source: 'agent', processId: null, status: 'inProgress' };
  expect(older({ ...item, ...begin }, 'item/started')).toEqual([
    {
      type: 'exec_command_begin',
      call_id: 'c',
      turn_id: 'u',
      started_at_ms: undefined,
      command: ['bash', '-c', 'cat a'],
      cwd: 'file:///a%20b',
      parsed_cmd: [
        { type: 'read', cmd: 'cat a', name: 'a', path: '/ws/a' },
        { type: 'list_files', cmd: 'ls', path: null },
        { type: 'search', cmd: 'rg x', query: 'x', path: null },
      ],
      source: 'agent',
    },
  ]);
});

test('translates a failed MCP tool call as a Rust Err', () => {
  const item = { type: 'mcpToolCall', id: 'm', server: 's', tool: 't', arguments: {}, status: 'failed' };
  const invocation = { server: 's', tool: 't', arguments: {} };
  const duration = { secs: 2, nanos: 500_000_000 };
  expect(older({ ...item, result: null, error: { message: 'no' }, durationMs: 2500 })).toEqual([
    { type: 'mcp_tool_call_end', call_id: 'm', invocation, result: { Err: 'no' }, duration },
  ]);
});

test('translates web searches, images, compaction and images in prompts', () => {
  const action = { type: 'openPage', url: 'https://example.com' };
  expect(older({ type: 'webSearch', id: 'w', query: 'q', action })).toEqual([
    { type: 'web_search_end', call_id: 'w', query: 'q', action: { type: 'open_page', url: 'https://example.com' } },
  ]);
  expect(older({ type: 'webSearch', id: 'w', query: '' }, 'item/started')).toEqual([
    { type: 'web_search_begin', call_id: 'w' },
  ]);
  expect(older({ type: 'imageView', id: 'i', path: '/ws/a.png' })).toEqual([
    { type: 'view_image_tool_call', call_id: 'i', path: '/ws/a.png' },
  ]);
  expect(older({ type: 'contextCompaction', id: 'x' })).toEqual([{ type: 'context_compacted' }]);
  const content = [
    { type: 'localImage', path: '/ws/a.png' },
    { type: 'image', url: 'data:x' },
    { type: 'text', text: 'look', text_elements: [] },
  ];
  expect(older({ type: 'userMessage', id: 'u', content })).toEqual([
    {
      type: 'user_message',
      message: 'look',
      images: ['data:x'],
      local_images: ['/ws/a.png'],
      audio: [],
      local_audio: [],
      text_elements: [],
    },
  ]);
});

test('translates unknown items with legacy names', () => {
  const item = { type: 'brandNew', id: 'n', someName: { innerName: 1 }, nothing: null, startedAtMs: 1 };
  expect(toLegacyEvents('item/started', { ...at, item, startedAtMs: 1 })).toEqual([
    {
      type: 'item_started',
      ...names,
      item: { type: 'BrandNew', id: 'n', some_name: { inner_name: 1 } },
      started_at_ms: 1,
    },
  ]);
});

test('omits a failed turn that was already reported, and events unknown to the legacy server', () => {
  const turn = { id: 'u', status: 'failed', error: { message: 'no' } };
  expect(toLegacyEvents('turn/completed', { threadId: 't', turn })).toEqual([]);
  expect(toLegacyEvents('thread/readState/changed', at)).toEqual([]);
  expect(toLegacyEvents('toString', at)).toEqual([]);
  expect(toLegacyEvents('item/started', at)).toEqual([]);
  expect(toLegacyEvents('error', { willRetry: true })).toEqual([
    { type: 'stream_error', message: undefined, codex_error_info: undefined, additional_details: null },
  ]);
});
