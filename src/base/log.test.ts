import { expect, test } from 'vitest';
import { createLog, LOG_LEVELS, type LogLevel } from './log.ts';

test.each<[LogLevel, readonly string[]]>([
  ['error', ['error: d']],
  ['warn', ['warn: c', 'error: d']],
  ['info', ['b', 'warn: c', 'error: d']],
  ['debug', ['debug: a', 'b', 'warn: c', 'error: d']],
])('logs nothing below level %s, and labels every level except info', (level, expected) => {
  const { log, lines } = open(level);
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d');

  expect(lines).toEqual(expected.map((line) => `[switchboard] ${line}`));
  expect(LOG_LEVELS).toContain(level);
});

test('redacts secrets and writes one truncated line per message', () => {
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
