import { describe, expect, test } from 'vitest';
import { createStyle } from '../terminal/style.ts';
import type { Finding, Section } from './finding.ts';
import { sectionText, summaryText } from './text.ts';

const style = createStyle({ isTerminal: false, env: {} });
const plain = { style, width: undefined };
const works: Finding = { check: 'a', title: 'one: 3 tools', state: 'ok' };
const fails: Finding = {
  check: 'b',
  title: 'two: command not found',
  state: 'failure',
  detail: ['stderr: x'],
  advice: 'Correct c.json:3.',
  fix: 'switchboard disable two',
};
const section = (name: Section['name'], ...findings: readonly Finding[]): Section => ({
  name,
  summary: 'sum',
  findings,
});

describe('a section', () => {
  test('has the worst findings first, each with its details and its fix below', () => {
    expect(sectionText(section('Servers', works, fails), plain).split('\n')).toEqual([
      '✗ Servers    sum',
      '  ✗ two: command not found',
      '    stderr: x',
      '    Correct c.json:3.',
      '    Run: switchboard disable two',
      '  ✓ one: 3 tools',
      '',
    ]);
  });

  test('that is well is one line', () => {
    expect(sectionText(section('Files', works), plain)).toBe('✓ Files      sum');
  });

  test('shows a note without calling it a problem', () => {
    const note: Finding = { check: 'c', title: 'not connected', state: 'note' };
    expect(sectionText(section('Codex', note), plain)).toBe('· Codex      sum\n  · not connected\n');
  });

  test('wraps text to the terminal, but never a command', () => {
    const long: Finding = { ...fails, title: 'word '.repeat(20).trim(), fix: `switchboard trust /${'x'.repeat(80)}` };
    const lines = sectionText(section('Servers', long), { style, width: 40 }).split('\n');
    expect(lines.slice(1, 4).every((line) => line.length <= 40 && line.startsWith('  '))).toBe(true);
    expect(lines).toContain(`    Run: switchboard trust /${'x'.repeat(80)}`);
  });

  test('shows no control characters of a server', () => {
    expect(sectionText(section('Servers', { ...fails, title: 'evil \u001b[31m \u202e' }), plain)).not.toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for them
      /[\u0000-\u0009\u000b-\u001f\u202e]/,
    );
  });
});

test.each([
  [[works], 'Everything works.'],
  [[fails, works], '1 failure.'],
  [[{ ...fails, repair: () => '' }], '1 failure. To fix it: switchboard doctor --fix'],
  [[{ ...fails, repair: () => '' }, fails], '2 failures. To fix 1 of them: switchboard doctor --fix'],
  [[{ ...works, isFixed: true as const }], 'Everything works (1 fixed).'],
])('the summary counts what is left to do', (findings, text) => {
  expect(summaryText([section('Servers', ...findings)], style)).toBe(text);
});
