import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRuns, readScreen } from '../../scripts/screens/terminal-emulator.mjs';
import { trackProcesses } from '../processes.ts';
import { root, runIn } from './programs.ts';

/** The screens in docs/screens match the current output of the commands, on a real terminal with real servers. */
const processes = trackProcesses();
const shown = join(root, 'docs/screens');
const made = join(tmpdir(), `switchboard-screens-${randomUUID()}`);

describe('docs/screens', () => {
  beforeAll(() => mkdirSync(made, { recursive: true }));
  afterAll(() => rmSync(made, { recursive: true, force: true }));

  test('is exactly what npm run screens generates', { timeout: 240_000 }, async () => {
    const args = ['scripts/screens.mjs', '--out', made];
    const run = { cwd: root, command: process.execPath, args, env: processes.env(), timeoutMs: 230_000 };
    expect(await runIn(run)).toEqual({ status: 0, out: '', err: '' });
    expect(filesOf(made)).toEqual(filesOf(shown));
  });

  test.each(readdirSync(shown).filter((name) => name.endsWith('.txt')))(
    '%s fits a terminal and shows no local paths',
    (name) => {
      const text = readFileSync(join(shown, name), 'utf8');
      expect(text.split('\n').filter((line) => [...line].length > 80)).toEqual([]);
      expect(text).not.toMatch(/\/(work|root|tmp)\b|\p{Cc}(?<!\n)/u);
    },
  );

  test('contains only pictures that a document shows and that load nothing external', () => {
    const names = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
    const pages = names.map((name) => readFileSync(join(root, 'docs', name), 'utf8')).join('\n');
    const pictures = readdirSync(shown).filter((name) => name.endsWith('.svg'));
    expect(pictures.filter((name) => !pages.includes(`](screens/${name})`))).toEqual([]);
    const sources = pictures.map((name) => readFileSync(join(shown, name), 'utf8'));
    expect(sources.filter((svg) => /href|url\(|@import|<script|<image/.test(svg))).toEqual([]);
  });
});

describe('the terminal screen', () => {
  const screen = (text: string) => readScreen(text, { columns: 10 });

  test('an unknown escape sequence is rejected', () => {
    expect(() => screen('\u001b[5S')).toThrow('ESC [ 5S');
    expect(() => screen('\u001b]0;title\u0007')).toThrow('Unsupported');
  });

  test('colours and weights are kept, also below a line that is erased', () => {
    const painted = 'old\r\u001b[K\u001b[32m✓\u001b[39m ok\r\n\u001b[1mNext\u001b[22m  ';
    expect(readRuns(painted, { columns: 10 })).toEqual([
      [
        { text: '✓ ', tone: '32' },
        { text: 'ok', tone: '' },
      ],
      [{ text: 'Next', tone: '1' }],
    ]);
  });

  test.each([
    ['a long line wraps', '0123456789ab', ['0123456789', 'ab']],
    ['a line that just fits adds no empty line', '0123456789\r\nab', ['0123456789', 'ab']],
    ['a line is overwritten', 'old and\r\u001b[Knew', ['new']],
    ['skipped columns become spaces', 'a\u001b[5Gb', ['a   b']],
    ['everything below is erased', 'a\r\nb\r\nc\u001b[H\u001b[Jd', ['d']],
    ['a long line is truncated if wrapping is off', '\u001b[?7l0123456789ab', ['012345678b']],
    ['the alternate screen hides the main one', 'a\u001b[?1049h\u001b[Hb', ['b']],
    ['the main screen is restored', 'a\u001b[?1049h\u001b[Hb\u001b[?1049l', ['a']],
  ])('%s', (_, text, lines) => {
    expect(screen(text)).toEqual(lines);
  });
});

function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}
