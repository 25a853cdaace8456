import { expect, test } from 'vitest';
import { verifies } from '../../test/verifies.ts';
import { readSettings } from './settings.ts';

const DEFAULTS = {
  isErrorPassthrough: false,
  hasSummary: true,
  isDebug: false,
  listTimeoutMs: 4000,
  isListTimeoutSet: false,
  initTimeoutMs: 4000,
};

verifies(
  ['gateway:list:timeout-default', 'gateway:initialize:timeout-default'],
  'uses the defaults of the first wrapper without environment variables',
  () => {
    expect(readSettings({})).toEqual(DEFAULTS);
  },
);

test.each([
  [{ WRAPPER_ERROR_PASSTHROUGH: '1' }, { isErrorPassthrough: true }],
  [{ WRAPPER_ERROR_PASSTHROUGH: 'true' }, { isErrorPassthrough: true }],
  [{ WRAPPER_ERROR_PASSTHROUGH: '0' }, {}],
  [{ WRAPPER_ERROR_PASSTHROUGH: '' }, {}],
  [{ WRAPPER_SUMMARY: '0' }, { hasSummary: false }],
  [{ WRAPPER_SUMMARY: 'false' }, { hasSummary: false }],
  [{ WRAPPER_SUMMARY: '1' }, {}],
  [{ WRAPPER_NO_SUMMARY: '1' }, { hasSummary: false }],
  [{ WRAPPER_NO_SUMMARY: '0' }, {}],
  [{ DEBUG: '1' }, { isDebug: true }],
  [{ DEBUG: 'express:*' }, {}],
  [{ WRAPPER_TOOLS_LIST_TIMEOUT_MS: '250' }, { listTimeoutMs: 250, isListTimeoutSet: true }],
  [{ WRAPPER_INIT_TIMEOUT_MS: '0' }, { initTimeoutMs: 0 }],
  [{ WRAPPER_INIT_TIMEOUT_MS: 'soon', WRAPPER_TOOLS_LIST_TIMEOUT_MS: '-1' }, {}],
  [{ WRAPPER_INIT_TIMEOUT_MS: ' ', WRAPPER_TOOLS_LIST_TIMEOUT_MS: 'Infinity' }, {}],
  [{ WRAPPER_TOOLS_LIST_TIMEOUT_MS: '1e12' }, { listTimeoutMs: 2 ** 31 - 1, isListTimeoutSet: true }],
])('%j changes %j', (env, changed) => {
  expect(readSettings(env)).toEqual({ ...DEFAULTS, ...changed });
});
