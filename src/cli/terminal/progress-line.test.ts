import { expect, test } from 'vitest';
import { createProgressLine } from './progress-line.ts';
import { progressText } from './progress-text.ts';

function open(kind: 'terminal' | 'plain' | 'none') {
  let written = '';
  let time = 0;
  const write = (text: string) => {
    written += text;
  };
  const line = createProgressLine({ write, kind, columns: () => 40, now: () => time });
  const taken = () => {
    const text = written;
    written = '';
    return text;
  };
  return { line, taken, pass: (ms: number) => (time += ms) };
}

test.each([
  [{ progress: 1, total: 4 }, '[#####---------------] 1/4'],
  [{ progress: 9, total: 4, message: 'late' }, '[####################] 9/4 late'],
  [{ progress: 0.3333 }, '0.33'],
  [{ progress: -1, total: 0 }, '-1'],
  [{ progress: 'x', total: Number.NaN, message: 'a\u001b[2J\nb\u202e' }, 'a b'],
  [{ message: 'x'.repeat(100) }, `${'x'.repeat(39)}…`],
  [{ message: '進'.repeat(40) }, '進'.repeat(20)],
  [{}, ''],
])('formats %j on one line', (progress, shown) => {
  expect(progressText(progress, 40)).toBe(shown);
});

test('on a terminal redraws in place at a limited rate, and cleans up', () => {
  const { line, taken, pass } = open('terminal');
  line.update({ progress: 1 });
  line.update({ progress: 2 });
  expect(taken()).toBe('\r\u001b[K1');
  pass(100);
  line.update({ progress: 3 });
  expect(taken()).toBe('\r\u001b[K3');
  line.print('a line');
  expect(taken()).toBe('\r\u001b[Ka line\n\r\u001b[K3');
  line.pause();
  pass(100);
  line.update({ progress: 4 });
  line.print('a line for later');
  expect(taken()).toBe('\r\u001b[K');
  line.resume();
  expect(taken()).toBe('a line for later\n\r\u001b[K4');
  line.close();
  line.close();
  expect(taken()).toBe('\r\u001b[K');
});

test('elsewhere prints nothing, or the first, the last and at most ten lines a second', () => {
  const plain = open('plain');
  for (let progress = 1; progress <= 20; progress++) {
    plain.line.update({ progress });
    if (progress === 18) plain.line.print('a line');
    plain.pass(50);
  }
  expect(plain.taken()).toBe('1\n3\n5\n7\n9\n11\n13\n15\n17\na line\n19\n');
  plain.line.close();
  plain.line.close();
  expect(plain.taken()).toBe('20\n');
  const none = open('none');
  none.line.update({ progress: 1 });
  none.line.print('a line');
  none.line.close();
  expect(none.taken()).toBe('a line\n');
});
