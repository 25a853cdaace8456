import { expect, test } from 'vitest';
import type { Credentials } from '../../../auth/credentials/credentials.ts';
import { AppError } from '../../../base/errors.ts';
import { openHttp } from './open-http.ts';

const REFRESH_FAILED = new AppError('CONNECTION_CLOSED', 'The token endpoint closed the connection.');

test.each([true, false])('reports whether a token exists (%s) without refreshing it', async (hasToken) => {
  let refreshes = 0;
  const credentials: Credentials = {
    authorization() {
      refreshes++;
      return Promise.reject(REFRESH_FAILED);
    },
    hasToken: () => hasToken,
    handleRejection: () => Promise.reject(new Error('No request is sent.')),
    hasChanged: () => false,
  };
  const negotiated: unknown[] = [];
  const failure = new Promise((resolve) => {
    const server = {
      url: 'http://127.0.0.1:9/mcp',
      headers: {},
      isSse: false,
      onNegotiated: (...facts: unknown[]) => void negotiated.push(facts),
    };
    const variants = { find: () => ({ kind: 'session', isGuess: false }) as const, remember: () => {} };
    const receiver = {
      redact: (text: string) => text,
      frame: resolve,
      reportError: resolve,
      requestFailed: (_: number, error: AppError) => resolve(error),
      isPending: () => true,
      end: resolve,
    };
    void openHttp(server, { env: {}, credentials, variants }, receiver).then((transport) =>
      transport.send('{}', { id: 1, sequence: 1, method: 'initialize', isSafeToResend: false }),
    );
  });
  expect(await failure).toBe(REFRESH_FAILED);
  expect({ negotiated, refreshes }).toEqual({ negotiated: [['session', hasToken]], refreshes: 1 });
});
