import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { propertyRuns } from '../../../../../test/property-runs.ts';
import { verifies } from '../../../../../test/verifies.ts';
import { isJson } from '../../../../base/text/is-json.ts';
import { parseExecLine } from './events.ts';

const parse = (event: unknown) => parseExecLine(JSON.stringify(event));
const USAGE = { inputTokens: 1200, cachedInputTokens: 1000, outputTokens: 42, reasoningOutputTokens: 7 };
const RAW_USAGE = { input_tokens: 1200, cached_input_tokens: 1000, output_tokens: 42, reasoning_output_tokens: 7 };

verifies('codex:events:malformed', 'never throws on a line, and ignores lines that are not objects', () => {
  const names = fc.constantFrom(
    'type',
    'item',
    'item_type',
    'msg',
    'id',
    'status',
    'changes',
    'items',
    'usage',
    'info',
  );
  const types = fc.constantFrom('item.completed', 'turn.completed', 'error', 'file_change', 'todo_list', 'token_count');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      types,
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(names, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  const line = fc.oneof(
    fc.string(),
    fc.json(),
    tree.map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(line, (text) => {
      const events = parseExecLine(text);
      const areEvents = events?.every(({ kind }) => typeof kind === 'string');
      expect(areEvents ?? false).toBe(/^\s*\{/.test(text) && isJson(text));
    }),
    propertyRuns(500),
  );
});

test.each([[''], ['hello'], ['7'], ['null'], ['[{"type":"turn.started"}]'], ['{"type":']])('ignores %s', (line) => {
  expect(parseExecLine(line)).toBeUndefined();
});

test.each([
  [{ type: 'thread.started', thread_id: 's' }, [{ kind: 'session', sessionId: 's', model: undefined }]],
  [{ type: 'session.created', session_id: 's' }, [{ kind: 'session', sessionId: 's', model: undefined }]],
  [{ type: 'thread.started' }, []],
  [{ type: 'turn.started' }, [{ kind: 'turn-started' }]],
  [{ type: 'turn.failed', error: { message: 'bad prompt' } }, [{ kind: 'turn-failed', message: 'bad prompt' }]],
  [{ type: 'turn.failed' }, [{ kind: 'turn-failed', message: 'no reason given' }]],
  [{ type: 'error', message: 'Reconnecting... 1/5' }, [{ kind: 'error', message: 'Reconnecting... 1/5' }]],
  [{ type: 'turn.completed' }, [{ kind: 'turn-completed', lastMessage: undefined }]],
  [
    { type: 'turn.completed', usage: RAW_USAGE },
    [
      { kind: 'usage', total: USAGE, contextWindow: undefined },
      { kind: 'turn-completed', lastMessage: undefined },
    ],
  ],
  [{ type: 'item.completed' }, []],
  [{ type: 'something.new', item: { id: '1' } }, []],
  [{ model: 'gpt-5', workdir: '/' }, []],
])('%j', (event, expected) => {
  expect(parse(event)).toEqual(expected);
});

verifies(
  ['codex:events:thread-started', 'codex:events:turn', 'codex:events:unknown-type'],
  'reads a turn from start to end, and ignores an unknown event',
  () => {
    const lines = [
      { type: 'thread.started', thread_id: 's', more: 1 },
      { type: 'turn.started' },
      { type: 'something.new', item: { id: '1' } },
      { type: 'turn.completed', usage: RAW_USAGE },
      { type: 'turn.failed', error: { message: 'no' } },
    ];
    expect(lines.flatMap((line) => parse(line) ?? [])).toEqual([
      { kind: 'session', sessionId: 's', model: undefined },
      { kind: 'turn-started' },
      { kind: 'usage', total: USAGE, contextWindow: undefined },
      { kind: 'turn-completed', lastMessage: undefined },
      { kind: 'turn-failed', message: 'no' },
    ]);
  },
);

verifies(
  ['codex:events:item', 'codex:events:unknown-item'],
  'converts every item type, and reports a new one as unknown',
  () => {
    const kinds = [
      'agent_message',
      'reasoning',
      'command_execution',
      'file_change',
      'mcp_tool_call',
      'web_search',
      'todo_list',
      'error',
      'new',
    ];
    const reportFor = (phase: string) =>
      kinds
        .flatMap((type) => parse({ type: `item.${phase}`, item: { id: type, type } }) ?? [])
        .map((event) => 'item' in event && [event.item.type, event.item.status]);
    const types = [...kinds.slice(0, -1), 'unknown'];
    expect(reportFor('started')).toEqual(types.map((type) => [type, 'started']));
    expect(reportFor('updated')).toEqual(types.map((type) => [type, 'in_progress']));
    expect(reportFor('completed')).toEqual(types.map((type) => [type, type === 'error' ? 'failed' : 'completed']));
  },
);

describe('items', () => {
  const item = (phase: string, raw: unknown) => {
    const [event] = parse({ type: `item.${phase}`, item: raw }) ?? [];
    return event?.kind === 'item' ? event.item : undefined;
  };

  test.each([
    [
      { type: 'agent_message', text: 'One\ntwo.' },
      { type: 'agent_message', status: 'completed', summary: 'One two.', text: 'One\ntwo.' },
    ],
    [
      { item_type: 'assistant_message', text: 'Hi.' },
      { type: 'agent_message', status: 'completed', summary: 'Hi.', text: 'Hi.' },
    ],
    [
      { item_type: 'command_execution', command: 'ls', exit_code: 0, status: 'completed' },
      { type: 'command_execution', status: 'completed', summary: 'ls' },
    ],
    [
      { type: 'command_execution', command: 'false', exit_code: 1, status: 'failed', aggregated_output: 'no\n' },
      { type: 'command_execution', status: 'failed', summary: 'false', exitCode: 1, outputTail: 'no' },
    ],
    [
      { type: 'command_execution', command: 'rm x', status: 'declined' },
      { type: 'command_execution', status: 'failed', summary: 'rm x' },
    ],
    [
      { type: 'reasoning', text: 'hm' },
      { type: 'reasoning', status: 'completed', summary: 'hm' },
    ],
    [
      { type: 'mcp_tool_call', server: 's', tool: 't', error: { message: 'no' }, status: 'failed' },
      { type: 'mcp_tool_call', status: 'failed', summary: 's/t' },
    ],
    [
      { type: 'mcp_tool_call', server: 's', tool: 't', result: {}, error: null, status: 'completed' },
      { type: 'mcp_tool_call', status: 'completed', summary: 's/t' },
    ],
    [
      { type: 'web_search', query: 'q' },
      { type: 'web_search', status: 'completed', summary: 'q' },
    ],
    [
      { type: 'error', message: 'careful' },
      { type: 'error', status: 'failed', summary: 'careful' },
    ],
    [
      { type: 'collab_tool_call', text: 'x' },
      { type: 'unknown', status: 'completed', summary: 'collab_tool_call' },
    ],
    [{}, { type: 'unknown', status: 'completed', summary: '' }],
  ])('%j', (raw, expected) => {
    expect(item('completed', { id: 'item_1', ...raw })).toEqual({ id: 'item_1', ...expected });
  });

  test('lists files with their changes', () => {
    const changes = [
      { path: '/ws/a', kind: 'add' },
      { path: '/ws/b', kind: { type: 'update' }, diff: '@@' },
      { path: '/ws/c', kind: 'renamed' },
      { kind: 'add' },
      7,
    ];
    const files = [
      { path: '/ws/a', kind: 'add' },
      { path: '/ws/b', kind: 'update', diff: '@@' },
      { path: '/ws/c', kind: 'update' },
    ];
    const raw = { id: 'i', type: 'file_change', status: 'completed' };
    expect(item('completed', { ...raw, changes })).toEqual({ ...raw, summary: '/ws/a, /ws/b, /ws/c', files });
  });

  test('reads a to-do list as an item and as the plan', () => {
    const items = [
      { text: 'a', completed: true },
      { text: 'b', completed: false },
    ];
    const plan = [
      { step: 'a', status: 'completed' },
      { step: 'b', status: 'pending' },
    ];
    expect(parse({ type: 'item.updated', item: { id: 'i', type: 'todo_list', items } })).toEqual([
      {
        kind: 'item',
        item: { id: 'i', type: 'todo_list', status: 'in_progress', summary: '1 of 2 done; now: b', plan },
      },
      { kind: 'plan', plan },
    ]);
  });

  test('a running item is started or in progress, with a short summary', () => {
    const raw = { id: 'i', type: 'command_execution', command: 'x'.repeat(1_000), status: 'in_progress' };
    expect(item('started', raw)).toEqual({
      id: 'i',
      type: 'command_execution',
      status: 'started',
      summary: `${'x'.repeat(199)}…`,
    });
    expect(item('updated', raw)?.status).toBe('in_progress');
  });
});

describe('the format of 0.42 and earlier', () => {
  const parseMessage = (msg: unknown) => parse({ id: '0', msg });
  const tool = (over: object) => [{ kind: 'item', item: { id: 'c', summary: '', ...over } }];

  test.each([
    [{ type: 'session_configured', session_id: 's', model: 'm' }, [{ kind: 'session', sessionId: 's', model: 'm' }]],
    [{ type: 'task_started', model_context_window: 272_000 }, [{ kind: 'turn-started' }]],
    [{ type: 'task_complete', last_agent_message: 'x' }, [{ kind: 'turn-completed', lastMessage: 'x' }]],
    [{ type: 'turn_aborted', reason: 'interrupted' }, [{ kind: 'turn-aborted' }]],
    [{ type: 'error', message: 'no' }, [{ kind: 'error', message: 'no' }]],
    [{ type: 'stream_error', message: 'again' }, [{ kind: 'retrying', message: 'again' }]],
    [{ type: 'turn_diff', unified_diff: '@@' }, [{ kind: 'diff', diff: '@@' }]],
    [{ type: 'agent_message_delta', delta: 'x' }, []],
    [
      { type: 'agent_message', message: 'done' },
      [{ kind: 'item', item: { id: '', type: 'agent_message', status: 'completed', summary: 'done', text: 'done' } }],
    ],
    [
      { type: 'exec_command_begin', call_id: 'c', command: ['bash', '-lc', 'echo hi'], cwd: '/' },
      tool({ type: 'command_execution', status: 'started', summary: 'bash -lc echo hi' }),
    ],
    [
      { type: 'exec_command_end', call_id: 'c', stdout: 'hi', exit_code: 3 },
      tool({ type: 'command_execution', status: 'failed', exitCode: 3, outputTail: 'hi' }),
    ],
    [
      {
        type: 'patch_apply_begin',
        call_id: 'c',
        changes: { '/a': { add: {} }, '/b': { update: { unified_diff: '@@' } } },
      },
      tool({
        type: 'file_change',
        status: 'started',
        summary: '/a, /b',
        files: [
          { path: '/a', kind: 'add' },
          { path: '/b', kind: 'update', diff: '@@' },
        ],
      }),
    ],
    [{ type: 'patch_apply_end', call_id: 'c', success: true }, tool({ type: 'file_change', status: 'completed' })],
    [
      { type: 'mcp_tool_call_end', call_id: 'c', invocation: { server: 's', tool: 't' }, result: { Err: 'no' } },
      tool({ type: 'mcp_tool_call', status: 'failed', summary: 's/t' }),
    ],
    [
      { type: 'plan_update', plan: [{ step: 'a', status: 'in_progress' }] },
      [{ kind: 'plan', plan: [{ step: 'a', status: 'in_progress' }] }],
    ],
    [
      { type: 'token_count', info: { total_token_usage: RAW_USAGE, model_context_window: 272_000 } },
      [{ kind: 'usage', total: USAGE, contextWindow: 272_000 }],
    ],
    [{ type: 'token_count', info: null }, []],
    [{ type: 'token_count', ...RAW_USAGE }, []],
  ])('%j', (msg, expected) => {
    expect(parseMessage(msg)).toEqual(expected);
  });
});
