import { expect, test } from 'vitest';
import type { JsonObject } from '../../../wire/messages.ts';
import { Session } from '../../sessions/session.ts';
import { createEventRouter } from './event-router.ts';

const turn = { threadId: 't', turnId: 'u' };
const command = { type: 'commandExecution', id: 'c', command: 'ls', cwd: '/ws', commandActions: [], processId: null };

function open() {
  const hub = createEventRouter();
  const session = new Session({ sessionId: 't', cwd: '/ws', model: 'm' }, {}, { maxEvents: 10, runId: 'ab' });
  const follow = (requestId: string, isNew = false) => {
    const sent: JsonObject[] = [];
    const events = hub.subscribe(session, { requestId, isNew, notify: (params) => sent.push(params) });
    const types = () => sent.map(({ msg }) => (msg as JsonObject)['type']);
    return { sent, types, ...events };
  };
  const begin = () => hub.dispatch('t', 'turn/started', { threadId: 't', turn: { id: 'u', startedAt: 1 } });
  return { hub, follow, begin };
}

test('buffers events until a call follows the session, and sends them in the legacy order', () => {
  const { hub, follow, begin } = open();
  hub.dispatch('t', 'mcpServer/startupStatus/updated', { threadId: 't', name: 'slow', status: 'starting' });
  hub.dispatch('t', 'warning', { threadId: 't', message: 'careful' });
  hub.dispatch('t', 'thread/started', { thread: { id: 't', modelProvider: 'p', path: '/r' } });
  const call = follow('one', true);
  begin();
  hub.dispatch('t', 'mcpServer/startupStatus/updated', { threadId: 't', name: 'slow', status: 'ready' });
  const meta = { _meta: { requestId: 'one', threadId: 't' } };
  const configured = {
    type: 'session_configured',
    session_id: 't',
    thread_id: 't',
    model: 'm',
    model_provider_id: 'p',
    cwd: '/ws',
    rollout_path: '/r',
  };
  expect(call.sent).toEqual([
    { ...meta, id: '', msg: configured },
    { ...meta, id: '', msg: { type: 'warning', message: 'careful' } },
    { ...meta, id: 'u', msg: { type: 'task_started', turn_id: 'u', started_at: 1 } },
    { ...meta, id: '', msg: { type: 'mcp_startup_complete', ready: ['slow'], failed: [], cancelled: [] } },
  ]);
});

test('sends events to the latest call of a session, and none after it stops', () => {
  const { hub, follow, begin } = open();
  const first = follow('one');
  const second = follow('two');
  begin();
  first.stop();
  hub.dispatch('t', 'turn/diff/updated', { ...turn, diff: '' });
  second.stop();
  hub.dispatch('t', 'turn/diff/updated', { ...turn, diff: '' });
  hub.dispatch('another', 'turn/diff/updated', { threadId: 'another', turnId: 'u', diff: '' });
  expect(first.sent).toEqual([]);
  expect(second.types()).toEqual(['task_started', 'turn_diff']);
});

test('sends no begin event for a command before its approval, or after a refusal', () => {
  const { hub, follow, begin } = open();
  const call = follow('one');
  begin();
  const started = (id: string) => hub.dispatch('t', 'item/started', { ...turn, item: { ...command, id } });
  const ended = (id: string, status: string) =>
    hub.dispatch('t', 'item/completed', { ...turn, item: { ...command, id, status } });
  const run = ['item_started', 'exec_command_begin', 'item_completed', 'exec_command_end'];
  started('refused');
  ended('refused', 'declined');
  expect(call.types()).toEqual(['task_started']);
  started('approved');
  call.approved('approved');
  expect(call.types()).toEqual(['task_started', ...run.slice(0, 2)]);
  ended('approved', 'completed');
  expect(call.types()).toEqual(['task_started', ...run]);
  started('unasked');
  hub.dispatch('t', 'item/commandExecution/outputDelta', { ...turn, itemId: 'unasked', delta: 'x' });
  ended('unasked', 'completed');
  const output = [...run.slice(0, 2), 'exec_command_output_delta', ...run.slice(2)];
  expect(call.types()).toEqual(['task_started', ...run, ...output]);
});

test('includes the last message in the end of the turn, even if Codex does not repeat it', () => {
  const { hub, follow, begin } = open();
  const call = follow('one');
  begin();
  const item = { type: 'agentMessage', id: 'm', text: 'bye' };
  hub.dispatch('t', 'item/completed', { ...turn, item });
  hub.dispatch('t', 'turn/completed', { threadId: 't', turn: { id: 'u', status: 'completed', items: [] } });
  expect(call.sent.at(-1)).toEqual({
    _meta: { requestId: 'one', threadId: 't' },
    id: 'u',
    msg: { type: 'task_complete', turn_id: 'u', last_agent_message: 'bye' },
  });
});
