import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import type { Item } from '../../../item-types.ts';
import { NO_USAGE } from '../../../item-types.ts';
import type { ExecEvent } from './exec-event.ts';
import { createTurnReader } from './turn-reader.ts';

const EXIT = { code: 0, signal: null, stderrLine: undefined, wasInterrupted: false };
const message = (text: string): ExecEvent => ({
  kind: 'item',
  item: { id: '', type: 'agent_message', status: 'completed', summary: text, text },
});

describe('the end of a turn', () => {
  const failed = (kind: string, text: string) => ({ status: 'failed', failure: { kind, message: text } });
  const fault: ExecEvent = { kind: 'error', message: 'stream disconnected before completion' };

  test.each<[string, readonly ExecEvent[], object, object]>([
    ['no messages', [], {}, { status: 'completed', lastMessage: undefined }],
    ['messages', [message('a'), message('b')], {}, { status: 'completed', lastMessage: 'b' }],
    ['an error followed by a message', [fault, message('a')], {}, { status: 'completed', lastMessage: 'a' }],
    ['an error as the last event', [fault], {}, failed('network', 'stream disconnected before completion')],
    [
      'turn.failed',
      [fault, { kind: 'turn-failed', message: 'bad prompt' }],
      { code: 1 },
      failed('other', 'bad prompt (codex exec exited with code 1)'),
    ],
    [
      'only an exit code',
      [],
      { code: 101, stderrLine: 'panicked at main.rs' },
      failed('engine', 'codex exec exited with code 101: panicked at main.rs'),
    ],
    [
      'killed',
      [],
      { code: null, signal: 'SIGKILL' },
      failed('engine', 'codex exec was killed by SIGKILL: no reason given'),
    ],
    ['interrupted by us', [fault], { code: 1, wasInterrupted: true }, { status: 'interrupted' }],
    ['interrupted at the very end', [message('a')], { wasInterrupted: true }, { status: 'interrupted' }],
    ['SIGTERM from outside', [], { code: null, signal: 'SIGTERM' }, { status: 'interrupted' }],
    ['SIGINT from outside', [], { code: null, signal: 'SIGINT' }, { status: 'interrupted' }],
    ['SIGINT through a script', [], { code: 130 }, { status: 'interrupted' }],
    ['aborted', [{ kind: 'turn-aborted' }], {}, { status: 'interrupted' }],
  ])('%s', (_, events, exit, end) => {
    const reader = createTurnReader('t', { totalBefore: undefined });
    for (const event of events) reader.take(event);
    expect(reader.end({ ...EXIT, ...exit })).toEqual(end);
  });
});

verifies('codex:exec:exit-code', 'derives the end of a turn from the exit code or signal', () => {
  const end = (exit: object) => createTurnReader('t', { totalBefore: undefined }).end({ ...EXIT, ...exit });
  expect(end({ code: 0 })).toEqual({ status: 'completed', lastMessage: undefined });
  expect(end({ code: 3 })).toMatchObject({ status: 'failed', failure: { message: expect.stringContaining('code 3') } });
  expect(end({ code: null, signal: 'SIGINT' })).toEqual({ status: 'interrupted' });
  expect(end({ code: null, signal: 'SIGTERM' })).toEqual({ status: 'interrupted' });
});

test('treats an error as a retry if anything but the failure follows', () => {
  const reader = createTurnReader('t', { totalBefore: undefined });
  const take = (...events: ExecEvent[]) => events.flatMap((event) => reader.take(event));

  expect(take({ kind: 'error', message: 'first' })).toEqual([]);
  expect(take({ kind: 'error', message: 'second' })).toEqual([{ kind: 'retrying', message: 'first' }]);
  expect(take({ kind: 'turn-failed', message: 'second' })).toEqual([]);
});

test('an error item is a warning before the turn and an item within it', () => {
  const reader = createTurnReader('t', { totalBefore: undefined });
  const item: Item = { id: 'item_0', type: 'error', status: 'failed', summary: 'Model metadata not found' };

  expect(reader.take({ kind: 'item', item })).toEqual([{ kind: 'warning', message: 'Model metadata not found' }]);
  expect(reader.take({ kind: 'turn-started' })).toEqual([]);
  expect(reader.take({ kind: 'item', item })).toEqual([{ kind: 'item', turnId: 't', item }]);
});

test('merges the end of an item with its start, and assigns a missing id', () => {
  const reader = createTurnReader('t', { totalBefore: undefined });
  const take = (item: Item) => reader.take({ kind: 'item', item });
  const files = [{ path: '/a', kind: 'add' }] as const;
  take({ id: 'c', type: 'file_change', status: 'started', summary: 'add /a', files });

  expect(take({ id: 'c', type: 'file_change', status: 'completed', summary: '' })).toEqual([
    {
      kind: 'item',
      turnId: 't',
      item: { id: 'c', type: 'file_change', status: 'completed', summary: 'add /a', files },
    },
  ]);
  expect(reader.take(message('a'))).toMatchObject([{ item: { id: 'item-1' } }]);
  expect(reader.take(message('b'))).toMatchObject([{ item: { id: 'item-2' } }]);
});

test('a command that is still running when the process exits counts as failed', () => {
  const reader = createTurnReader('t', { totalBefore: NO_USAGE });
  const command = (id: string, status: Item['status']): ExecEvent => ({
    kind: 'item',
    item: { id, type: 'command_execution', status, summary: 'sleep 9' },
  });
  for (const event of [command('1', 'started'), command('2', 'started'), command('2', 'completed')]) reader.take(event);

  expect(reader.unfinishedCommands()).toEqual([
    { kind: 'item', turnId: 't', item: { id: '1', type: 'command_execution', status: 'failed', summary: 'sleep 9' } },
  ]);
});

test('the usage of a turn is the difference from the total before it', () => {
  const total = { inputTokens: 1210, cachedInputTokens: 1000, outputTokens: 47, reasoningOutputTokens: 7 };
  const event: ExecEvent = { kind: 'usage', total, contextWindow: undefined };
  const before = { inputTokens: 1200, cachedInputTokens: 1000, outputTokens: 42, reasoningOutputTokens: 8 };
  const reportFor = (totalBefore: typeof total | undefined) => createTurnReader('t', { totalBefore }).take(event);

  expect(reportFor(undefined)).toEqual([{ ...event, turn: undefined }]);
  expect(reportFor(NO_USAGE)).toEqual([{ ...event, turn: total }]);
  expect(reportFor(before)).toEqual([
    { ...event, turn: { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, reasoningOutputTokens: 0 } },
  ]);
});
