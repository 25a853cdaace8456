import { expect, test } from 'vitest';
import { commandRows, type MatrixCommand } from './matrix-commands.ts';
import { findViolations, type Ran } from './matrix-invariants.ts';
import type { OutputMode } from './matrix-modes.ts';

/** A judge that accepts everything would make all command tables pass. */
const VIOLATIONS: readonly (readonly [what: string, way: OutputMode, ran: Partial<Ran>, command: string])[] = [
  ['a color in the answer', 'piped', { stdout: '\u001b[31mred\n' }, 'tools'],
  ['a bidi mark in the talk', 'piped', { status: 4, stderr: 'x\u202ey\n' }, 'tools'],
  ['an answer that fails', 'piped', { status: 4, stdout: 'a\n', stderr: 'why\n' }, 'tools'],
  ['a failure without a reason', 'piped', { status: 4 }, 'tools'],
  ['no answer', 'piped', {}, 'tools'],
  ['talk that nobody knows', 'piped', { stdout: 'a\n', stderr: 'hello\n' }, 'tools'],
  ['half a line', 'piped', { stdout: 'a' }, 'tools'],
  ['a stack', 'piped', { status: 1, stderr: 'Error: x\n    at f (file.js:1:2)\n' }, 'tools'],
  ['no end', 'piped', { status: null, stderr: 'x\n' }, 'tools'],
  ['too long', 'piped', { stdout: 'a\n', ms: 60_000 }, 'tools'],
  ['two documents', 'json', { stdout: '{"v":1}\n{"v":1}\n' }, 'tools'],
  ['a document of no version', 'json', { stdout: '{}\n' }, 'tools'],
  ['words beside the document', 'json', { stdout: '{"v":1}\n', stderr: 'hello\n' }, 'tools'],
  ['another status than its code', 'json', { status: 1, stderr: '{"error":{"code":"USAGE"}}\n' }, 'tools'],
  ['a raw C1 in JSON', 'json', { stdout: '{"v":1,"a":"\u009b2J"}\n' }, 'tools'],
  ['a moved cursor on a terminal', 'terminal', { stdout: 'a\u001b[Hb\r\n' }, 'tools'],
  ['a line written over', 'terminal', { stdout: 'a\rb\r\n' }, 'call'],
  ['a moved cursor in a call', 'terminal', { stdout: 'a\u001b[Hb\r\n' }, 'call'],
  ['the clipboard in a picture of ours', 'terminal', { stdout: '\u001b[H\u001b]52;c;cm0=\u0007a\r\n' }, 'watch'],
  ['an empty screen', 'terminal', {}, 'tools'],
];

test.each(VIOLATIONS)('%s is a violation', (_, way, ran, name) => {
  expect(findViolations(toRan(ran), way, rowOf(name))).toHaveLength(1);
});

test.each([
  ['piped', { stdout: 'a\n' }, 'tools'],
  ['piped', { stdout: 'a\n', stderr: '[mcp s info] hello\n' }, 'call'],
  ['piped', { status: 4, stderr: 'why\n' }, 'tools'],
  ['piped', { status: 5, stdout: 'a\n', stderr: 'why\n' }, 'call'],
  ['piped', {}, 'complete'],
  ['json', { stdout: '{"v":1}\n' }, 'tools'],
  ['json', { stdout: '{"v":1}\n{"v":1}\n' }, 'watch'],
  ['json', { status: 2, stderr: '{"error":{"code":"USAGE"}}\n' }, 'tools'],
  ['terminal', { stdout: '\r\u001b[K[###] 1/2\r\u001b[Ka\r\n' }, 'call'],
  ['terminal', { stdout: '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[Ha\u001b[K\u001b[J\u001b[?1049la\r\n' }, 'watch'],
] as const)('no violation is found where there is none: %s %j %s', (way, ran, name) => {
  expect(findViolations(toRan(ran), way, rowOf(name))).toEqual([]);
});

function toRan(ran: Partial<Ran>): Ran {
  return { status: 0, stdout: '', stderr: '', ms: 1, ...ran };
}

function rowOf(name: string): MatrixCommand {
  const row = commandRows[name];
  if (row === undefined) throw new Error(`There is no row ${name}.`);
  return row;
}
