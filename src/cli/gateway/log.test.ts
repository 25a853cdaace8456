import { expect, test } from 'vitest';
import { describeNotification } from './log.ts';

test.each([
  ['notifications/vendor', undefined, '[mcp notifications/vendor]'],
  ['notifications/vendor', { a: 'two\nlines' }, '[mcp notifications/vendor] {"a":"two\\nlines"}'],
  ['bad\n\u001b[31mname', [1], '[mcp bad name] [1]'],
  [
    'codex/event',
    { msg: { type: 'agent_message', message: 'Hi\nthere' } },
    '[mcp codex/event] agent_message: Hi there',
  ],
  ['codex/event', { msg: { type: 'exec', command: ['ls', '-l'], item: 1 } }, '[mcp codex/event] exec: ["ls","-l"]'],
  ['codex/event', { msg: { type: 'task_started', message: null } }, '[mcp codex/event] task_started'],
  ['codex/event', { msg: { delta: 'x' } }, '[mcp codex/event] unknown: x'],
  ['codex/event', { msg: 'odd' }, '[mcp codex/event] {"msg":"odd"}'],
  ['codex/event', 7, '[mcp codex/event] 7'],
])('formats %j with %j as %j', (method, params, line) => {
  expect(describeNotification({ method, params })).toBe(line);
});

test('truncates long params', () => {
  const line = describeNotification({ method: 'codex/event', params: { msg: { type: 't', text: 'x'.repeat(5_000) } } });
  expect(line).toBe(`[mcp codex/event] t: ${'x'.repeat(196)}…`);
});

test('shows only the method of deeply nested params', () => {
  const params = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(describeNotification({ method: 'deep', params })).toBe('[mcp deep]');
});
