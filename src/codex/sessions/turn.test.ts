import { expect, test } from 'vitest';
import type { Item } from '../item-types.ts';
import { Turn } from './turn.ts';

const COMMAND: Item = { id: 'c', type: 'command_execution', status: 'started', summary: 'ls' };

test('an item is kept once, with its latest status, and what its end leaves out is kept', () => {
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

test('an item that ends without having begun is still shown', () => {
  const turn = new Turn(1, 10);
  const message: Item = { id: 'm', type: 'agent_message', status: 'completed', summary: 'Hi', text: 'Hi' };

  expect(turn.add(message)).toEqual(message);
  expect(turn.items()).toEqual([message]);
  expect(turn.lastMessage).toBe('Hi');
});

test('a message that is not whole is not the last one', () => {
  const turn = new Turn(1, 10);
  turn.add({ id: 'm', type: 'agent_message', status: 'started', summary: '', text: '' });
  turn.add({ id: 'r', type: 'reasoning', status: 'completed', summary: 'Hm', text: 'Hm' });

  expect(turn.lastMessage).toBeUndefined();
});

test('a message that is still open when its turn is completed never was; a command may outlive its turn', () => {
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

test('only so many items are kept, and the oldest go first', () => {
  const turn = new Turn(1, 2);
  for (const id of ['a', 'b', 'c']) turn.add({ ...COMMAND, id });

  expect(turn.items().map(({ id }) => id)).toEqual(['b', 'c']);
});

test('files count when their change is done: a new one stays new, and one that went is gone', () => {
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

test('only so many files are listed', () => {
  const turn = new Turn(1, 10);
  const files = Array.from({ length: 1001 }, (_, index) => ({ path: `/f${index}`, kind: 'add' as const }));
  turn.add({ id: '1', type: 'file_change', status: 'completed', summary: '', files });

  expect(turn.files()).toHaveLength(1000);
  expect(turn.files()[0]).toEqual({ path: '/f1', kind: 'add' });
});

test('a plan replaces the one before, and whatever happens ends a retry', () => {
  const turn = new Turn(1, 10);
  turn.retrying = 'Reconnecting... 1/5';
  const plan = [{ step: 'Look.', status: 'pending' as const }];
  turn.add({ id: 'p', type: 'todo_list', status: 'in_progress', summary: '0 of 1 done', plan });

  expect(turn.plan).toEqual(plan);
  expect(turn.retrying).toBeUndefined();
});

test('a turn is known by every id that Codex has for it, and asked for by the first', () => {
  const turn = new Turn(3, 10);
  expect([turn.id, turn.ids(), turn.number]).toEqual([undefined, [], 3]);
  for (const id of ['R', 'T', 'R']) turn.addId(id);

  expect([turn.id, turn.ids(), turn.hasId('T'), turn.hasId('X')]).toEqual(['R', ['R', 'T'], true, false]);
});
