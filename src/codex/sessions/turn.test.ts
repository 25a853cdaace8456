import { expect, test } from 'vitest';
import type { Item } from '../item-types.ts';
import { Turn } from './turn.ts';

const COMMAND: Item = { id: 'c', type: 'command_execution', status: 'started', summary: 'ls' };

test('keeps an item once, with its latest status and the fields that its end omits', () => {
  const turn = new Turn(1, 10);
  turn.add(COMMAND);
  expect(turn.current()).toEqual(COMMAND);
  turn.add({ ...COMMAND, summary: 'ls -l' });
  expect(turn.items()).toEqual([{ ...COMMAND, status: 'in_progress', summary: 'ls -l' }]);
  const ended = turn.add({ ...COMMAND, status: 'failed', summary: '' });

  expect(ended).toEqual({ ...COMMAND, status: 'failed', summary: 'ls -l' });
  expect(turn.items()).toEqual([ended]);
  expect(turn.current()).toBeUndefined();
});

test('shows an item that ends without a start', () => {
  const turn = new Turn(1, 10);
  const message: Item = { id: 'm', type: 'agent_message', status: 'completed', summary: 'Hi', text: 'Hi' };

  expect(turn.add(message)).toEqual(message);
  expect(turn.items()).toEqual([message]);
  expect(turn.lastMessage).toBe('Hi');
});

test('ignores an incomplete message as the last message', () => {
  const turn = new Turn(1, 10);
  turn.add({ id: 'm', type: 'agent_message', status: 'started', summary: '', text: '' });
  turn.add({ id: 'r', type: 'reasoning', status: 'completed', summary: 'Hm', text: 'Hm' });

  expect(turn.lastMessage).toBeUndefined();
});

test('drops an open message when the turn completes, and keeps a running command', () => {
  const turn = new Turn(1, 10);
  const message: Item = { id: 'm', type: 'agent_message', status: 'started', summary: '', text: '' };
  turn.add(message);
  turn.add(COMMAND);
  turn.end = { status: 'interrupted' };
  expect(turn.items()).toEqual([message, COMMAND]);
  turn.end = { status: 'completed', lastMessage: undefined };

  expect(turn.items()).toEqual([COMMAND]);
  expect(turn.current()).toEqual(COMMAND);
});

test('keeps a limited number of items, and drops the oldest', () => {
  const turn = new Turn(1, 2);
  for (const id of ['a', 'b', 'c']) turn.add({ ...COMMAND, id });

  expect(turn.items().map(({ id }) => id)).toEqual(['b', 'c']);
});

test('lists files of completed changes, keeps added files as added, and drops deleted ones', () => {
  const turn = new Turn(1, 10);
  const change = (id: string, status: Item['status'], kind: 'add' | 'delete' | 'update', path = '/a'): Item => ({
    id,
    type: 'file_change',
    status,
    summary: path,
    files: [{ path, kind }],
  });
  turn.add(change('1', 'started', 'add'));
  turn.add(change('2', 'failed', 'add', '/b'));
  expect(turn.files()).toEqual([]);
  turn.add(change('1', 'completed', 'add'));
  turn.add(change('3', 'completed', 'update'));
  expect(turn.files()).toEqual([{ path: '/a', kind: 'add' }]);
  turn.add(change('4', 'completed', 'delete'));

  expect(turn.files()).toEqual([{ path: '/a', kind: 'delete' }]);
});

test('lists a limited number of files', () => {
  const turn = new Turn(1, 10);
  const files = Array.from({ length: 1001 }, (_, index) => ({ path: `/f${index}`, kind: 'add' as const }));
  turn.add({ id: '1', type: 'file_change', status: 'completed', summary: '', files });

  expect(turn.files()).toHaveLength(1000);
  expect(turn.files()[0]).toEqual({ path: '/f1', kind: 'add' });
});

test('replaces the plan, and ends a retry on any item', () => {
  const turn = new Turn(1, 10);
  turn.retrying = 'Reconnecting... 1/5';
  const plan = [{ step: 'Look.', status: 'pending' as const }];
  turn.add({ id: 'p', type: 'todo_list', status: 'in_progress', summary: '0 of 1 done', plan });

  expect(turn.plan).toEqual(plan);
  expect(turn.retrying).toBeUndefined();
});

test('matches a turn by every id from Codex, and uses the first', () => {
  const turn = new Turn(3, 10);
  expect([turn.id, turn.ids(), turn.number]).toEqual([undefined, [], 3]);
  for (const id of ['R', 'T', 'R']) turn.addId(id);

  expect([turn.id, turn.ids(), turn.hasId('T'), turn.hasId('X')]).toEqual(['R', ['R', 'T'], true, false]);
});
