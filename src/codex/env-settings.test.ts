import { expect, test } from 'vitest';
import { readEnvSettings } from './env-settings.ts';

const DEFAULTS = {
  approvalTimeoutMs: 300_000,
  maxSessions: 10,
  eventBufferSize: 500,
  logLevel: 'info',
  allowsDanger: false,
  problems: [],
};

test.each([
  ['MAX_SESSIONS', '0', 10],
  ['MAX_SESSIONS', '-1', 10],
  ['EVENT_BUFFER_SIZE', '1e3', 500],
  ['APPROVAL_TIMEOUT_MS', 'five', 300000],
  ['APPROVAL_TIMEOUT_MS', '1.5', 300000],
])('reports an invalid value and uses the default: %s=%s', (name, value, fallback) => {
  expect(readEnvSettings({ [name]: value })).toEqual({
    ...DEFAULTS,
    problems: [`${name} must be a whole number above 0, not ${JSON.stringify(value)}: using ${fallback}.`],
  });
});

test('reports an unknown log level', () => {
  expect(readEnvSettings({ LOG_LEVEL: 'loud' })).toEqual({
    ...DEFAULTS,
    problems: ['LOG_LEVEL must be one of debug, info, warn, error, not "loud": using info.'],
  });
});

test('uses the defaults for unset and blank variables', () => {
  expect(readEnvSettings({})).toEqual(DEFAULTS);
  expect(readEnvSettings({ MAX_SESSIONS: ' ', LOG_LEVEL: '', DEBUG: '0', SWITCHBOARD_ALLOW_DANGEROUS: 'no' })).toEqual(
    DEFAULTS,
  );
});

test('reads every setting', () => {
  const env = { APPROVAL_TIMEOUT_MS: ' 1000 ', MAX_SESSIONS: '3', EVENT_BUFFER_SIZE: '7', LOG_LEVEL: 'WARN' };
  expect(readEnvSettings({ ...env, SWITCHBOARD_ALLOW_DANGEROUS: '1' })).toEqual({
    approvalTimeoutMs: 1000,
    maxSessions: 3,
    eventBufferSize: 7,
    logLevel: 'warn',
    allowsDanger: true,
    problems: [],
  });
});

test('caps values at what a timer or the memory can hold', () => {
  const much = '999999999999999';
  expect(
    readEnvSettings({
      APPROVAL_TIMEOUT_MS: much,
      MAX_SESSIONS: much,
      EVENT_BUFFER_SIZE: much,
      DEBUG: '1',
      LOG_LEVEL: 'error',
    }),
  ).toEqual({
    ...DEFAULTS,
    approvalTimeoutMs: 2 ** 31 - 1,
    maxSessions: 1000,
    eventBufferSize: 100_000,
    logLevel: 'debug',
  });
});
