import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { type CodexClient, eventually } from '../codex-server/testbed.ts';
import { verifies } from '../verifies.ts';
import { escalated, eventsOf, messagesOf, shareTestbed, threadIdOf, typesOf } from './drop-in.ts';

/**
 * A recorded client of `codex mcp-server` 0.153.4: its messages, and the events, questions and results it received.
 * The tests replay that conversation in order on one server.
 */
const ITEMS = ['item_started', 'item_completed'];
const PROMPT = ['raw_response_item', ...ITEMS, 'user_message'];
const FIRST = [
  'session_configured',
  'mcp_startup_complete',
  'task_started',
  'raw_response_item',
  'raw_response_item',
  ...PROMPT,
];
const NEXT = ['task_started', ...PROMPT];
const CALL = ['raw_response_item'];
const RUN = ['item_started', 'exec_command_begin', 'item_completed', 'exec_command_end'];
const CALL_OVER = ['raw_response_item', 'token_count'];
const MESSAGE = ['item_started', 'agent_message_content_delta', 'item_completed', 'agent_message'];
const LAST = [...MESSAGE, 'raw_response_item', 'token_count'];

const dropIn = shareTestbed();

describe('a client written for codex mcp-server', { shuffle: false }, () => {
  let client: CodexClient;
  let threadId = '';
  let answer: JsonObject = {};

  beforeAll(async () => {
    client = await dropIn.serve({ capabilities: { elicitation: {} }, onRequest: () => answer });
  });

  async function call(name: string, args: JsonObject) {
    const begun = client.begin('tools/call', { name, arguments: args });
    const { result } = await begun.answer;
    return { id: begun.id, result: result as JsonObject };
  }

  const done = (content: string) => ({
    structuredContent: { threadId: expect.any(String), content },
    content: [{ type: 'text', text: content }],
  });

  verifies(
    [
      'compat:events:session',
      'compat:events:items',
      'compat:events:method',
      'compat:events:meta',
      'compat:events:envelope',
      'compat:result:content',
      'compat:result:structured',
    ],
    'starts a session and gets the same events as before',
    async () => {
      const { workDir, codexDir } = dropIn.testbed().home;
      const prompt = script([{ message: 'Hello from codex tool' }]);
      const { id, result } = await call('codex', {
        prompt,
        cwd: workDir,
        sandbox: 'workspace-write',
        'approval-policy': 'never',
      });
      threadId = threadIdOf(result);
      expect(result).toEqual(done('Hello from codex tool'));
      expect(typesOf(client, id)).toEqual([...FIRST, ...LAST, 'task_complete']);
      const events = eventsOf(client, id);
      const turnId = events.at(-1)?.['id'];
      for (const [index, event] of events.entries())
        expect(event).toEqual({
          _meta: { requestId: id, threadId },
          id: index < 2 ? '' : turnId,
          msg: expect.objectContaining({ type: expect.any(String) }),
        });
      const [configured, startup, started] = messagesOf(client, id);
      expect([configured, startup, started]).toEqual([
        {
          type: 'session_configured',
          session_id: threadId,
          thread_id: threadId,
          model: 'gpt-5.5',
          model_provider_id: 'scripted',
          approval_policy: 'never',
          sandbox_policy: { type: 'workspace-write' },
          cwd: workDir,
          rollout_path: expect.stringContaining(join(codexDir, 'sessions')),
        },
        { type: 'mcp_startup_complete', ready: [], failed: [], cancelled: [] },
        { type: 'task_started', turn_id: turnId, started_at: expect.any(Number) },
      ]);
      const usage = { total_tokens: 15, input_tokens: 10, output_tokens: 5 };
      expect(messagesOf(client, id).filter(({ type }) => type === 'raw_response_completed')).toEqual([
        {
          type: 'raw_response_completed',
          response_id: expect.any(String),
          token_usage: expect.objectContaining(usage),
          usage_metadata: expect.anything(),
        },
      ]);
      expect(messagesOf(client, id).at(-1)).toEqual({
        type: 'task_complete',
        turn_id: turnId,
        last_agent_message: 'Hello from codex tool',
        started_at: expect.any(Number),
        completed_at: expect.any(Number),
        duration_ms: expect.any(Number),
      });
    },
  );

  verifies(
    ['compat:tools:reply-thread', 'compat:result:thread-handle'],
    'continues it, and sees the command that Codex runs',
    async () => {
      const prompt = script([{ shell: 'echo hi' }, { message: 'reply done' }]);
      const { id, result } = await call('codex-reply', { threadId, prompt });
      expect(result).toEqual({ ...done('reply done'), structuredContent: { threadId, content: 'reply done' } });
      expect(typesOf(client, id)).toEqual([...NEXT, ...CALL, ...RUN, ...CALL_OVER, ...LAST, 'task_complete']);
      const end = messagesOf(client, id).find(({ type }) => type === 'exec_command_end');
      expect(end).toEqual({
        type: 'exec_command_end',
        call_id: expect.any(String),
        process_id: expect.any(String),
        turn_id: expect.any(String),
        completed_at_ms: expect.any(Number),
        command: ['/bin/bash', '-lc', 'echo hi'],
        cwd: `file://${dropIn.testbed().home.workDir}`,
        parsed_cmd: [{ type: 'unknown', cmd: 'echo hi' }],
        source: 'unified_exec_startup',
        stdout: 'hi\n',
        stderr: '',
        aggregated_output: 'hi\n',
        exit_code: 0,
        duration: { secs: expect.any(Number), nanos: expect.any(Number) },
        formatted_output: 'hi\n',
        status: 'completed',
      });
    },
  );

  verifies('compat:tools:codex-sandbox', 'approves a command with the legacy answer', async () => {
    answer = { action: 'accept', content: { decision: 'approved' }, decision: 'approved' };
    const { workDir } = dropIn.testbed().home;
    const prompt = script([escalated('touch ms1.txt'), { message: 'approved path' }]);
    const args = { prompt, cwd: workDir, sandbox: 'read-only', 'approval-policy': 'on-request' };
    const { id, result } = await call('codex', args);
    threadId = threadIdOf(result);
    expect(result).toEqual(done('approved path'));
    const asked = [...FIRST, ...CALL, 'exec_approval_request'];
    expect(typesOf(client, id)).toEqual([...asked, ...RUN, ...CALL_OVER, ...LAST, 'task_complete']);
    const event = messagesOf(client, id).find(({ type }) => type === 'exec_approval_request');
    const amendment = ['touch', 'ms1.txt'];
    expect(event).toEqual({
      type: 'exec_approval_request',
      call_id: expect.any(String),
      turn_id: expect.any(String),
      started_at_ms: expect.any(Number),
      command: ['/bin/bash', '-lc', 'touch ms1.txt'],
      cwd: workDir,
      reason: 'need it',
      proposed_execpolicy_amendment: amendment,
      available_decisions: [
        'approved',
        { approved_execpolicy_amendment: { proposed_execpolicy_amendment: amendment } },
        'abort',
      ],
      parsed_cmd: [{ type: 'unknown', cmd: 'touch ms1.txt' }],
    });
    expect(client.requests.at(-1)).toEqual({
      method: 'elicitation/create',
      params: {
        message: `Allow Codex to run \`/bin/bash -lc 'touch ms1.txt'\` in \`${workDir}\`?`,
        requestedSchema: {
          type: 'object',
          properties: {
            decision: {
              type: 'string',
              title: 'Decision',
              description: expect.stringContaining('touch ms1.txt'),
              enum: ['approve', 'approve_session', 'approve_rule', 'deny', 'cancel'],
            },
            reason: { type: 'string', title: 'Reason', description: expect.any(String) },
          },
          required: ['decision'],
        },
        threadId,
        codex_elicitation: 'exec-approval',
        codex_mcp_tool_call_id: String(id),
        codex_event_id: eventsOf(client, id).at(-1)?.['id'],
        codex_call_id: event?.['call_id'],
        codex_command: ['/bin/bash', '-lc', 'touch ms1.txt'],
        codex_cwd: workDir,
        codex_parsed_cmd: [{ type: 'unknown', cmd: 'touch ms1.txt' }],
      },
    });
    expect(existsSync(join(workDir, 'ms1.txt'))).toBe(true);
  });

  for (const [what, given, file] of [
    ['denies a command with the historical answer', { action: 'decline', decision: 'denied' }, 'ms2.txt'],
    ['accepts without a decision, which is none', { action: 'accept', content: {} }, 'ms3.txt'],
  ] as const)
    verifies('compat:tools:reply-thread', what, async () => {
      answer = given;
      const prompt = script([escalated(`touch ${file}`), { message: 'denied path' }]);
      const { id, result } = await call('codex-reply', { threadId, prompt });
      expect(result).toEqual(done('denied path'));
      const asked = [...NEXT, ...CALL, 'exec_approval_request'];
      expect(typesOf(client, id)).toEqual([...asked, ...CALL_OVER, ...LAST, 'task_complete']);
      expect(existsSync(join(dropIn.testbed().home.workDir, file))).toBe(false);
    });

  verifies('compat:tools:reply-conversation', 'approves a patch in a session named by conversationId', async () => {
    answer = { action: 'accept', decision: 'approved' };
    const path = join(dropIn.testbed().home.workDir, 'patched.txt');
    const patch = '*** Begin Patch\n*** Add File: patched.txt\n+hello\n*** End Patch';
    const prompt = script([{ patch }, { message: 'patched' }]);
    const { id, result } = await call('codex-reply', { conversationId: threadId, prompt });
    expect(result).toEqual(done('patched'));
    const types = typesOf(client, id).filter((type) => type !== 'turn_diff');
    expect(types).toEqual([
      ...NEXT,
      ...CALL,
      'item_started',
      'patch_apply_begin',
      'apply_patch_approval_request',
      'item_completed',
      'patch_apply_end',
      ...CALL_OVER,
      ...LAST,
      'task_complete',
    ]);
    const changes = { [path]: { type: 'add', content: 'hello\n' } };
    const messages = messagesOf(client, id);
    const names = { call_id: expect.any(String), turn_id: expect.any(String) };
    const ofType = (wanted: string) => messages.find(({ type }) => type === wanted);
    expect(ofType('apply_patch_approval_request')).toEqual({
      type: 'apply_patch_approval_request',
      ...names,
      started_at_ms: expect.any(Number),
      changes,
    });
    const end = { type: 'patch_apply_end', ...names, success: true, changes, status: 'completed' };
    expect(ofType('patch_apply_end')).toEqual(end);
    expect(ofType('turn_diff')).toEqual({ type: 'turn_diff', unified_diff: expect.stringContaining('+hello') });
    expect(client.requests.at(-1)?.params).toEqual({
      message: 'Allow Codex to apply proposed code changes?',
      requestedSchema: expect.objectContaining({ type: 'object', required: ['decision'] }),
      threadId,
      codex_elicitation: 'patch-approval',
      codex_mcp_tool_call_id: String(id),
      codex_event_id: expect.any(String),
      codex_call_id: expect.any(String),
      codex_changes: changes,
    });
    expect(existsSync(path)).toBe(true);
  });

  verifies('compat:tools:reply-thread', 'gets an error for an unknown thread', async () => {
    const unknown = '01a1e0b3-0000-7000-8000-000000000000';
    const text = `Session not found for thread_id: ${unknown}`;
    const { id, result } = await call('codex-reply', { threadId: unknown, prompt: 'x' });
    expect(result).toEqual({
      isError: true,
      content: [{ type: 'text', text }],
      structuredContent: { threadId: unknown, content: text },
    });
    expect(eventsOf(client, id)).toEqual([]);
  });

  verifies('compat:tools:codex-prompt', 'gets errors in the legacy wording', async () => {
    const refusal = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });
    const missing = refusal('Failed to parse configuration for Codex tool: missing field `prompt`');
    expect((await call('codex', {})).result).toEqual(missing);
    expect((await call('codex-reply', { threadId })).result).toEqual(missing);
    expect((await call('nope', {})).result).toEqual(refusal("Unknown tool 'nope'"));
    const nameless = refusal('Failed to parse thread_id: either threadId or conversationId must be provided');
    expect((await call('codex-reply', { prompt: 'x' })).result).toEqual(nameless);
  });

  verifies('compat:events:items', 'cancels a running call, which ends the turn and its commands', async () => {
    const { workDir } = dropIn.testbed().home;
    const prompt = script([{ shell: 'sleep 80' }, { message: 'x' }]);
    const args = { prompt, cwd: workDir, sandbox: 'workspace-write', 'approval-policy': 'never' };
    const { id, answer: never } = client.begin('tools/call', { name: 'codex', arguments: args });
    let isAnswered = false;
    void never.then(
      () => {
        isAnswered = true;
      },
      () => undefined,
    );
    await eventually(() => typesOf(client, id).includes('exec_command_begin') || undefined);
    client.notify('notifications/cancelled', { requestId: id, reason: 'user' });
    await eventually(() => typesOf(client, id).includes('exec_command_end') || undefined);
    const types = typesOf(client, id);
    expect(types.slice(0, FIRST.length + 3)).toEqual([...FIRST, ...CALL, 'item_started', 'exec_command_begin']);
    expect(types.slice(-3)).toEqual(['turn_aborted', 'item_completed', 'exec_command_end']);
    expect(messagesOf(client, id).find(({ type }) => type === 'turn_aborted')).toEqual({
      type: 'turn_aborted',
      turn_id: expect.any(String),
      reason: 'interrupted',
      started_at: expect.any(Number),
      completed_at: expect.any(Number),
      duration_ms: expect.any(Number),
    });
    expect((await call('codex-reply', { threadId, prompt: script([{ message: 'still here' }]) })).result).toEqual(
      done('still here'),
    );
    expect(isAnswered).toBe(false);
  });

  verifies('compat:result:error', 'gets a model failure with a thread that can continue', async () => {
    const { workDir } = dropIn.testbed().home;
    const { id, result } = await call('codex', { prompt: script([{ error: 401 }]), cwd: workDir });
    const text = expect.stringMatching(/^unexpected status 401 Unauthorized/);
    expect(result).toEqual({
      isError: true,
      content: [{ type: 'text', text }],
      structuredContent: { threadId: expect.any(String), content: text },
    });
    expect(typesOf(client, id)).toEqual([...FIRST, 'error']);
    expect(messagesOf(client, id).at(-1)).toEqual({
      type: 'error',
      message: text,
      codex_error_info: { http_connection_failed: { http_status_code: 401 } },
    });
    const again = { threadId: threadIdOf(result), prompt: script([{ message: 'better now' }]) };
    expect((await call('codex-reply', again)).result).toEqual(done('better now'));
  });
});
