import { expect } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { failureResponse } from '../../src/gateway/routing/error-response.ts';
import { verifies } from '../verifies.ts';
import { createCall, openUpstream } from './scripted-server.ts';

const NEEDED = new AppError('SIGN_IN_NEEDED', 'one needs a sign-in. Run: switchboard mcp login one');

verifies(
  'gateway:errors:sign-in',
  'a server that requires a sign-in is not restarted, and its calls name the login command and are not retryable',
  async () => {
    let starts = 0;
    const { upstream, events } = openUpstream({
      onStart() {
        starts++;
        throw NEEDED;
      },
    });
    const waiting = createCall();
    upstream.call(waiting);
    await expect.poll(() => upstream.state).toEqual({ kind: 'auth_required', reason: NEEDED.message });
    const later = createCall();
    upstream.call(later);
    for (const { outcome } of [waiting, later])
      expect(outcome).toEqual({ code: 'SIGN_IN_NEEDED', message: NEEDED.message });
    expect({ starts, events }).toEqual({ starts: 1, events: ['connecting', 'auth_required', 'disconnected'] });

    const context = { method: 'tools/call', publicName: 'one__echo', serverName: 'one' };
    const style = { isPassthrough: false, asToolResult: false, nextCommand: undefined };
    expect(JSON.parse(failureResponse('1', NEEDED, context, style)).error).toEqual({
      code: 1003,
      message: NEEDED.message,
      data: {
        kind: 'server_error',
        retryable: false,
        toolName: 'one__echo',
        serverName: 'one',
      },
    });
  },
);
