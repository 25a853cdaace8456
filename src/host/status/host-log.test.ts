import { expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import type { UpstreamState } from '../../upstream/state.ts';
import type { HostOptions } from '../host-options.ts';
import { createHostLog } from './host-log.ts';

const CONNECTING: UpstreamState = { kind: 'connecting' };
const READY: UpstreamState = { kind: 'ready' };
const SIGN_IN: UpstreamState = { kind: 'auth_required', reason: 'nobody is signed in.' };

function failing(message: string): UpstreamState {
  return { kind: 'error', error: new AppError('SPAWN_FAILED', message) };
}

/** Returns the lines that are logged while servers go through these states. */
function linesOf(states: readonly (readonly [string, UpstreamState])[], logLevel: HostOptions['logLevel'] = 'info') {
  const lines: string[] = [];
  const testEnvironment = { cwd: '/', env: {}, home: '/', platform: 'linux' } as const;
  const config = { servers: [], problems: [], files: [] };
  const log = createHostLog(
    { log: (line) => lines.push(line), logLevel },
    { config, environment: testEnvironment, tokens: () => [] },
  );
  for (const [id, state] of states) log.state({ id, state });
  return lines.map((line) => line.replace('[switchboard] ', ''));
}

test('logs a problem with a server once, however often it retries', () => {
  const tries = [
    CONNECTING,
    failing('no such program'),
    CONNECTING,
    failing('no such program'),
    CONNECTING,
    failing('no such program'),
  ];
  expect(linesOf(tries.map((state) => ['a', state]))).toEqual(['warn: a: no such program']);
});

test('logs a problem again if it is a different one', () => {
  const states = [
    failing('no such program'),
    failing('it died'),
    failing('it died'),
    SIGN_IN,
    failing('no such program'),
  ];
  expect(linesOf(states.map((state) => ['a', state]))).toEqual([
    'warn: a: no such program',
    'warn: a: it died',
    'warn: a: nobody is signed in.',
    'warn: a: no such program',
  ]);
});

test('ignores another time or process id in a problem', () => {
  const died = (time: string, pid: number) => failing(`it died: ${time} fatal: no key (pid ${pid})`);
  const states = [died('2026-11-15T09:59:59.9Z', 7), died('2026-11-15T10:00:00.123Z', 12_345), failing('it died')];
  expect(linesOf(states.map((state) => ['a', state]))).toEqual([
    'warn: a: it died: 2026-11-15T09:59:59.9Z fatal: no key (pid 7)',
    'warn: a: it died',
  ]);
});

test('logs recovery once, and treats the next problem as new', () => {
  const states = [CONNECTING, READY, failing('it died'), CONNECTING, READY, CONNECTING, READY, failing('it died')];
  expect(linesOf(states.map((state) => ['a', state]))).toEqual([
    'warn: a: it died',
    'a: it has recovered.',
    'warn: a: it died',
  ]);
});

test('tracks each server separately', () => {
  const died = failing('it died');
  expect(
    linesOf([
      ['a', died],
      ['b', died],
      ['a', died],
      ['b', READY],
      ['a', died],
    ]),
  ).toEqual(['warn: a: it died', 'warn: b: it died', 'b: it has recovered.']);
});

test('logs every attempt at debug level', () => {
  const died = failing('it died');
  expect(
    linesOf(
      [
        ['a', CONNECTING],
        ['a', died],
        ['a', died],
      ],
      'debug',
    ),
  ).toEqual(['debug: a: connecting', 'warn: a: it died', 'debug: a: as before: it died']);
});
