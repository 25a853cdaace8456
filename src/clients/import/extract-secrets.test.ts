import { expect, test } from 'vitest';
import { extractSecrets } from './extract-secrets.ts';
import { createSecretNames } from './secret-names.ts';

const GITHUB = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';

function extract(
  entry: Readonly<Record<string, unknown>>,
  {
    env = {},
    stored = {},
    reserved = [],
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly stored?: Readonly<Record<string, string>>;
    readonly reserved?: readonly string[];
  } = {},
) {
  const names = createSecretNames({ env, stored, reserved: new Set(reserved) });
  return { ...extractSecrets('git-hub', entry, names), fresh: Object.fromEntries(names.fresh) };
}

test('a secret variable refers to a stored one that no environment has by chance', () => {
  expect(extract({ command: 'x', env: { GITHUB_TOKEN: 't1', MODE: 'fast' } })).toEqual({
    entry: {
      command: 'x',
      env: { GITHUB_TOKEN: `\${IMPORTED_GIT_HUB_GITHUB_TOKEN}`, MODE: 'fast' },
      expand_variables: true,
    },
    secrets: [{ key: 'env.GITHUB_TOKEN', variable: 'IMPORTED_GIT_HUB_GITHUB_TOKEN' }],
    inline: [],
    fresh: { IMPORTED_GIT_HUB_GITHUB_TOKEN: 't1' },
  });
});

test.each([
  ['the environment has another value', { env: { IMPORTED_GIT_HUB_API_TOKEN: 'other' } }],
  ['the store has another value', { stored: { IMPORTED_GIT_HUB_API_TOKEN: 'other' } }],
  ['another server expects it from the environment', { reserved: ['IMPORTED_GIT_HUB_API_TOKEN'] }],
])('it gets a number if %s', (_, options) => {
  expect(extract({ command: 'x', env: { API_TOKEN: 't1' } }, options)).toMatchObject({
    entry: { command: 'x', env: { API_TOKEN: `\${IMPORTED_GIT_HUB_API_TOKEN_2}` }, expand_variables: true },
    fresh: { IMPORTED_GIT_HUB_API_TOKEN_2: 't1' },
  });
});

test('a value that is already stored is not stored again', () => {
  const stored = { IMPORTED_GIT_HUB_API_TOKEN: 't1' };
  const { entry, fresh } = extract({ command: 'x', env: { API_TOKEN: 't1' } }, { stored });
  const env = { API_TOKEN: `\${IMPORTED_GIT_HUB_API_TOKEN}` };
  expect({ entry, fresh }).toEqual({ entry: { command: 'x', env, expand_variables: true }, fresh: {} });
});

test('headers and the client secret name variables', () => {
  const headers = { Authorization: 'Bearer abc', 'X-Api-Key': 'key', 'X-Team': 'blue' };
  expect(extract({ url: 'https://h.example', headers, oauth: { client_id: 'id', client_secret: 's' } })).toEqual({
    entry: {
      url: 'https://h.example',
      headers: { 'X-Team': 'blue' },
      header_env: { 'X-Api-Key': 'IMPORTED_GIT_HUB_X_API_KEY' },
      bearer_token_env_var: 'IMPORTED_GIT_HUB_TOKEN',
      oauth: { client_id: 'id', client_secret_env: 'IMPORTED_GIT_HUB_CLIENT_SECRET' },
    },
    secrets: [
      { key: 'headers.Authorization', variable: 'IMPORTED_GIT_HUB_TOKEN' },
      { key: 'headers.X-Api-Key', variable: 'IMPORTED_GIT_HUB_X_API_KEY' },
      { key: 'oauth.client_secret', variable: 'IMPORTED_GIT_HUB_CLIENT_SECRET' },
    ],
    inline: [],
    fresh: { IMPORTED_GIT_HUB_TOKEN: 'abc', IMPORTED_GIT_HUB_X_API_KEY: 'key', IMPORTED_GIT_HUB_CLIENT_SECRET: 's' },
  });
});

test('references of the client become our own, and need no expansion', () => {
  const headers = { Authorization: `Bearer \${TOKEN}`, 'X-Key': `\${KEY}` };
  expect(extract({ url: 'https://h.example', headers, expand_variables: true })).toEqual({
    entry: { url: 'https://h.example', header_env: { 'X-Key': 'KEY' }, bearer_token_env_var: 'TOKEN' },
    secrets: [],
    inline: [],
    fresh: {},
  });
});

test('secrets in arguments and URLs become variables in the text', () => {
  const args = [
    ...['--api-key', 'k1', '--token=k2', '-e', 'DB_PASSWORD=k3', '--header', 'Authorization: Bearer k4'],
    ...['postgres://me:k5@db.example/x', GITHUB, 'sh -c "export SECRET_KEY=k6; run"', '--mode', 'fast', `\${SET}`],
  ];
  const { entry, fresh } = extract({ command: 'x', args, expand_variables: true });
  expect({ entry, fresh }).toEqual({
    entry: {
      command: 'x',
      args: [
        ...[
          '--api-key',
          `\${IMPORTED_GIT_HUB_API_KEY}`,
          `--token=\${IMPORTED_GIT_HUB_TOKEN}`,
          '-e',
          `DB_PASSWORD=\${IMPORTED_GIT_HUB_DB_PASSWORD}`,
        ],
        ...[
          '--header',
          `Authorization: Bearer \${IMPORTED_GIT_HUB_AUTHORIZATION}`,
          `postgres://me:\${IMPORTED_GIT_HUB_PASSWORD}@db.example/x`,
        ],
        ...[
          `\${IMPORTED_GIT_HUB_SECRET}`,
          `sh -c "export SECRET_KEY=\${IMPORTED_GIT_HUB_SECRET_KEY}; run"`,
          '--mode',
          'fast',
          `\${SET}`,
        ],
      ],
      expand_variables: true,
    },
    fresh: {
      IMPORTED_GIT_HUB_API_KEY: 'k1',
      IMPORTED_GIT_HUB_TOKEN: 'k2',
      IMPORTED_GIT_HUB_DB_PASSWORD: 'k3',
      IMPORTED_GIT_HUB_AUTHORIZATION: 'k4',
      IMPORTED_GIT_HUB_PASSWORD: 'k5',
      IMPORTED_GIT_HUB_SECRET: GITHUB,
      IMPORTED_GIT_HUB_SECRET_KEY: 'k6',
    },
  });
  const web = extract({ url: 'https://h.example/mcp?api_key=k7&team=blue' });
  expect({ entry: web.entry, fresh: web.fresh }).toEqual({
    entry: { url: `https://h.example/mcp?api_key=\${IMPORTED_GIT_HUB_API_KEY}&team=blue`, expand_variables: true },
    fresh: { IMPORTED_GIT_HUB_API_KEY: 'k7' },
  });
});

test('secrets stay where expansion would change literal text, and are reported', () => {
  const entry = { command: 'x', args: ['--token', 'k1', `\${LITERAL}`], env: { API_TOKEN: 't1' } };
  expect(extract(entry, { env: { API_TOKEN: 'other' } })).toEqual({
    entry,
    secrets: [],
    inline: ['env.API_TOKEN', 'args'],
    fresh: {},
  });
});
