import { expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import type { Credentials } from './credentials.ts';
import { limitCredentials } from './limited-credentials.ts';

const REJECTED = { status: 401, challenge: undefined, sent: undefined };

function credentials(overrides: Partial<Credentials> = {}): Credentials {
  return {
    authorization: () => 'Bearer secret',
    hasToken: () => true,
    handleRejection: async () => undefined,
    hasChanged: () => true,
    ...overrides,
  };
}

test('the sign-in is used only while that is permitted', async () => {
  let isAllowed = true;
  const limited = limitCredentials(credentials(), 'notion', (id) => isAllowed && id === 'notion');
  const seen = () => [limited.authorization(), limited.hasToken(), limited.hasChanged()];
  expect(seen()).toEqual(['Bearer secret', true, true]);
  await limited.handleRejection(REJECTED);
  isAllowed = false;
  expect(seen()).toEqual([undefined, false, false]);
  await expect(limited.handleRejection(REJECTED)).rejects.toMatchObject({
    code: 'SIGN_IN_NEEDED',
    message: expect.stringContaining('"shareSignIn": true'),
  });
});

test('a token is not used if the permission is withdrawn during its refresh', async () => {
  let isAllowed = true;
  const refreshing = credentials({ authorization: async () => 'Bearer new' });
  const pending = limitCredentials(refreshing, 'notion', () => isAllowed).authorization();
  isAllowed = false;
  expect(await pending).toBeUndefined();
});

test('without a stored sign-in, the error says that none is shared, and other errors stay unchanged', async () => {
  const rejecting = (error: AppError) =>
    limitCredentials(
      credentials({ hasToken: () => false, handleRejection: () => Promise.reject(error) }),
      'notion',
      () => false,
    ).handleRejection(REJECTED);
  await expect(rejecting(new AppError('SIGN_IN_NEEDED', 'Run: login'))).rejects.toMatchObject({
    code: 'SIGN_IN_NEEDED',
    message: expect.stringContaining('shareSignIn'),
  });
  await expect(rejecting(new AppError('HTTP_FAILED', 'it wants a key'))).rejects.toMatchObject({ code: 'HTTP_FAILED' });
});
