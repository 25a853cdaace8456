import { expect, test } from 'vitest';
import { createLog, LOG_LEVELS, type LogLevel } from './log.ts';

test.each<[LogLevel, readonly string[]]>([
  ['error', ['error: d']],
  ['warn', ['warn: c', 'error: d']],
  ['info', ['b', 'warn: c', 'error: d']],
  ['debug', ['debug: a', 'b', 'warn: c', 'error: d']],
])('nothing below the level %s is said, and only what everybody should read has no label', (level, expected) => {
  const { log, lines } = open(level);
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');

  expect(lines).toEqual(expected.map((line) => `[switchboard] ${line}`));
  expect(LOG_LEVELS).toContain(level);
});

test('secrets are masked, and one text is one line, however long and whatever is in it', () => {
  const { log, lines } = open('info');
  log.info('a secret\nover \u001b[31mlines');
  log.info('x'.repeat(5000));

  expect(lines).toEqual(['[switchboard] a *** over lines', `[switchboard] ${'x'.repeat(1999)}…`]);
});

function open(level: LogLevel) {
  const lines: string[] = [];
  const log = createLog({ level, write: (line) => lines.push(line), redact: (text) => text.replace('secret', '***') });
  return { log, lines };
}
