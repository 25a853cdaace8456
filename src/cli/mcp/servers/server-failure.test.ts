import { describe, expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../../base/errors.ts';
import type { Layer, ServerEntry } from '../../../config/server-entry.ts';
import { withFailureContext } from './reach-server.ts';

function entryIn(layer: Layer): ServerEntry {
  return {
    ...{ id: 'my files', origin: { layer, file: '/a b/config.json', line: 3 } },
    transport: {
      ...{ kind: 'stdio', command: 'x', args: [], cwd: undefined, env: {}, envVars: [], inheritEnv: false },
      framing: 'ndjson',
    },
    ...{ tools: { allow: undefined, deny: [] }, startupTimeoutMs: undefined, requestTimeoutMs: undefined },
    ...{ start: 'eager', pin: false, restart: 'overlap', share: 'folder', expandsVariables: false },
    sharesSignIn: false,
  };
}

async function reportFor(code: ErrorCode, message: string, layer: Layer = 'global'): Promise<unknown> {
  const failed = withFailureContext(entryIn(layer), () => Promise.reject(new AppError(code, message)));
  return failed.catch((error: AppError) => [error.code, error.message, error.data]);
}

const where = { file: '/a b/config.json', line: 3 };

describe('a server failure names the server, its location and the next command', () => {
  test.each([
    ['it ended with exit code 1: start \u001b[31mred', 'it ended with exit code 1: start red (/a b/config.json:3).'],
    ['it ended.', 'it ended (/a b/config.json:3).'],
    ['/a b/config.json:3: no command.', '/a b/config.json:3: no command.'],
    ['in /a b/config.json:3', 'in /a b/config.json:3.'],
  ])('%j', async (message, shown) => {
    const next = "switchboard mcp test 'my files'";
    expect(await reportFor('PROCESS_EXITED', message)).toEqual([
      ...['PROCESS_EXITED', `"my files": ${shown} Run: ${next}`, { server: 'my files', ...where, next }],
    ]);
  });

  test('with the named config file, and the login command if that helps', async () => {
    const next = "switchboard mcp login --config '/a b/config.json' 'my files'";
    const message = `Sign in first. Run: ${next}`;
    expect(await reportFor('SIGN_IN_NEEDED', message, 'explicit')).toEqual([
      ...['SIGN_IN_NEEDED', `"my files": Sign in first (/a b/config.json:3). Run: ${next}`],
      { server: 'my files', ...where, next },
    ]);
  });
});

test('suggests no test for a failed request, and passes on usage errors unchanged', async () => {
  expect(await reportFor('REQUEST_FAILED', 'No such prompt')).toEqual([
    ...['REQUEST_FAILED', '"my files": No such prompt', { server: 'my files', next: undefined }],
  ]);
  expect(await reportFor('USAGE', 'One is missing.')).toEqual(['USAGE', 'One is missing.', undefined]);
});
