import { expect, test } from 'vitest';
import { serverEntry, stdioSettings } from '../../../test/config/server-entry.ts';
import type { Environment } from '../files/folders.ts';
import type { LoadedConfig, ServerEntry } from '../server-entry.ts';
import { collectSecrets } from './collect-secrets.ts';

const environment: Environment = { cwd: '/', home: '/nobody', env: {}, platform: 'linux' };

const stdio = stdioSettings({ args: ['--verbose-argument'] });

function configOf(...transports: ServerEntry['transport'][]): LoadedConfig {
  const origin = { layer: 'explicit', file: '/config.json', line: 1 } as const;
  const entries = transports.map((transport, index) =>
    serverEntry({
      id: `server${index}`,
      origin,
      transport,
    }),
  );
  return {
    servers: entries.map((entry) => ({ id: entry.id, origin, verdict: { kind: 'usable', entry } })),
    problems: [],
    files: [],
  };
}

test('without a config returns variables with secret names', () => {
  const env = { GITHUB_TOKEN: 'token-1', PATH: '/bin', PWD: '/home/me', EMPTY_SECRET: undefined };
  expect([...collectSecrets({ config: undefined, environment: { ...environment, env } })]).toEqual(['token-1']);
});

test('of a stdio server returns its env values, expanded or not, and its envVars', () => {
  const reference = (name: string) => `\${${name}}`;
  const config = configOf({
    ...stdio,
    env: { PLAIN: 'plain-value', FILLED: `id:${reference('MINE')}`, FOLDER: `${reference('HOME')}/x` },
    envVars: ['NAMED', 'MISSING'],
  });
  const env = { MINE: 'value-1', NAMED: 'value-2', OTHER: 'value-3', HOME: '/home/me' };
  expect([...collectSecrets({ config, environment: { ...environment, env } })]).toEqual([
    'plain-value',
    `id:${reference('MINE')}`,
    'id:value-1',
    'value-1',
    `${reference('HOME')}/x`,
    '/home/me/x',
    'value-2',
  ]);
});

test('ignores an unset variable, and does not treat its name as a secret', () => {
  const config = configOf({ ...stdio, env: { LEFT: `\${${'NOT_SET'}}`, MORE: `Bearer \${${'NOT_SET'}}` } });
  expect([...collectSecrets({ config, environment })].filter((value) => value.length > 7)).toEqual([]);
});

test('of an HTTP server returns headers, also without their scheme, the client secret, and named variables', () => {
  const config = configOf({
    kind: 'http',
    url: 'https://example.com',
    headers: { Authorization: 'Bearer abc-123' },
    headerEnv: { 'X-Key': 'KEY_VARIABLE' },
    bearerTokenEnv: 'BEARER_VARIABLE',
    isSse: false,
    oauth: {
      authorizationUrl: undefined,
      tokenUrl: undefined,
      registrationUrl: undefined,
      clientId: 'public-id',
      clientSecret: 'client-secret',
      clientSecretEnv: 'CLIENT_VARIABLE',
      scope: undefined,
    },
  });
  const env = { KEY_VARIABLE: 'key-1', BEARER_VARIABLE: 'token-1', CLIENT_VARIABLE: 'secret-1', OTHER: 'other' };
  expect([...collectSecrets({ config, environment: { ...environment, env } })]).toEqual([
    'Bearer abc-123',
    'abc-123',
    'client-secret',
    'key-1',
    'token-1',
    'secret-1',
  ]);
});

test('returns nothing for an unused entry', () => {
  const origin = { layer: 'project', file: '/config.json', line: 1 } as const;
  const verdict = { kind: 'disabled', reason: 'disabled', isUntrusted: false } as const;
  const config = { servers: [{ id: 'one', origin, verdict }], problems: [], files: [] };
  expect([...collectSecrets({ config, environment })]).toEqual([]);
});
