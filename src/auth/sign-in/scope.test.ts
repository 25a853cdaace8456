import { expect, test } from 'vitest';
import type { Discovery } from '../discovery/discovery.ts';
import { chooseScope } from './scope.ts';

const NO_CHALLENGE = { resourceMetadata: undefined, scope: undefined, error: undefined };

function found(given: { scopesSupported?: readonly string[]; atServer?: string[] }): Discovery {
  const server = {
    issuer: 'https://as.example',
    ...(given.atServer === undefined ? {} : { scopes_supported: given.atServer }),
  };
  return { server, resource: 'https://mcp.example/', scopesSupported: given.scopesSupported, isConfigured: false };
}

function settings(scope: string) {
  const nothing = { authorizationUrl: undefined, tokenUrl: undefined, registrationUrl: undefined };
  return { ...nothing, clientId: undefined, clientSecret: undefined, clientSecretEnv: undefined, scope };
}

test('requests no scope if no source names one', () => {
  const discovery = found({ atServer: ['offline_access'] });
  expect(chooseScope({ challenge: NO_CHALLENGE, settings: undefined, discovery })).toBeUndefined();
});

test('prefers requested and configured scopes to the challenge, and the challenge to supported scopes', () => {
  const discovery = found({ scopesSupported: ['s1', 's2'] });
  const challenge = { ...NO_CHALLENGE, scope: 'c1  c2' };
  expect(chooseScope({ challenge, settings: settings('k'), discovery, requested: ['a', 'k'] })).toBe('a k');
  expect(chooseScope({ challenge, settings: settings(''), discovery })).toBe('c1 c2');
  expect(chooseScope({ challenge: NO_CHALLENGE, settings: undefined, discovery })).toBe('s1 s2');
});

test('adds offline_access only if the authorization server lists it', () => {
  const challenge = { ...NO_CHALLENGE, scope: 'c' };
  expect(chooseScope({ challenge, settings: undefined, discovery: found({ atServer: ['c', 'offline_access'] }) })).toBe(
    'c offline_access',
  );
  expect(chooseScope({ challenge, settings: undefined, discovery: found({ atServer: ['c'] }) })).toBe('c');
});

test('requests granted and missing scopes for a step-up, regardless of the config', () => {
  const challenge = { ...NO_CHALLENGE, scope: 'write', error: 'insufficient_scope' };
  const discovery = found({});
  expect(chooseScope({ challenge, settings: settings('read'), discovery, granted: 'read profile' })).toBe(
    'read profile write',
  );
});
