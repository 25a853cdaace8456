import { expect, test } from 'vitest';
import { createServerLog } from './server-log.ts';

function open({ isVerbose = true } = {}) {
  const lines: string[] = [];
  let time = 0;
  const notices = createServerLog('notes', { print: (line) => lines.push(line), now: () => time, isVerbose });
  return { notices, lines, pass: (ms: number) => (time += ms) };
}

test('prints each server message on one line without control characters', () => {
  const { notices, lines } = open();
  notices.notify('notifications/message', { level: 'info', logger: 'db', data: 'two\nlines\u001b[31m' });
  notices.notify('notifications/message', { level: '\u001b]0;x\u0007warning', data: { a: 1 } });
  notices.notify('notifications/message', 7);
  notices.notify('notifications/tools/list_changed', undefined);
  notices.notify('notifications/resources/updated', { uri: 'x://y' });
  expect(lines).toEqual([
    '[mcp notes info] db: two lines',
    '[mcp notes warning] {"a":1}',
    '[mcp notes] message',
    '[mcp notes] tools/list_changed',
    '[mcp notes] resources/updated {"uri":"x://y"}',
  ]);
});

test('counts a flood of messages, and truncates long ones', () => {
  const { notices, lines, pass } = open();
  for (let count = 0; count < 250; count++) notices.write('again');
  expect(lines.length).toBe(100);
  pass(1_000);
  notices.write('x'.repeat(5_000));
  notices.close();
  expect([lines.length, lines[100], lines[101]?.length]).toEqual([102, '[mcp notes] … and 150 more', 2_012]);
});

test('reports list_changed only in verbose mode', () => {
  const { notices, lines } = open({ isVerbose: false });
  for (const kind of ['tools', 'resources', 'prompts']) notices.notify(`notifications/${kind}/list_changed`, undefined);
  notices.notify('notifications/message', { level: 'info', data: 'working' });
  expect(lines).toEqual(['[mcp notes info] working']);
});
