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

test('a secret variable is stored under its own name and inherited', () => {
  expect(extract({ command: 'x', env: { API_TOKEN: 't1', MODE: 'fast' } })).toEqual({
    entry: { command: 'x', env: { MODE: 'fast' }, env_vars: ['API_TOKEN'] },
    secrets: [{ key: 'env.API_TOKEN', variable: 'API_TOKEN' }],
    inline: [],
    fresh: { API_TOKEN: 't1' },
  });
});

test.each([
  ['the environment has another value', { env: { API_TOKEN: 'other' } }],
  ['the store has another value', { stored: { API_TOKEN: 'other' } }],
  ['another server expects it from the environment', { reserved: ['API_TOKEN'] }],
])('it gets a name of its own if %s', (_, options) => {
  expect(extract({ command: 'x', env: { API_TOKEN: 't1' } }, options)).toEqual({
    entry: { command: 'x', env: { API_TOKEN: `\${GIT_HUB_API_TOKEN}` }, expand_variables: true },
    secrets: [{ key: 'env.API_TOKEN', variable: 'GIT_HUB_API_TOKEN' }],
    inline: [],
    fresh: { GIT_HUB_API_TOKEN: 't1' },
  });
});

test('a value that is already stored is not stored again', () => {
  const { entry, fresh } = extract({ command: 'x', env: { API_TOKEN: 't1' } }, { stored: { API_TOKEN: 't1' } });
  expect({ entry, fresh }).toEqual({ entry: { command: 'x', env_vars: ['API_TOKEN'] }, fresh: {} });
});

test('headers and the client secret name variables', () => {
  const headers = { Authorization: 'Bearer abc', 'X-Api-Key': 'key', 'X-Team': 'blue' };
  expect(extract({ url: 'https://h.example', headers, oauth: { client_id: 'id', client_secret: 's' } })).toEqual({
    entry: {
      url: 'https://h.example',
      headers: { 'X-Team': 'blue' },
      header_env: { 'X-Api-Key': 'GIT_HUB_X_API_KEY' },
      bearer_token_env_var: 'GIT_HUB_TOKEN',
      oauth: { client_id: 'id', client_secret_env: 'GIT_HUB_CLIENT_SECRET' },
    },
    secrets: [
      { key: 'headers.Authorization', variable: 'GIT_HUB_TOKEN' },
      { key: 'headers.X-Api-Key', variable: 'GIT_HUB_X_API_KEY' },
      { key: 'oauth.client_secret', variable: 'GIT_HUB_CLIENT_SECRET' },
    ],
    inline: [],
    fresh: { GIT_HUB_TOKEN: 'abc', GIT_HUB_X_API_KEY: 'key', GIT_HUB_CLIENT_SECRET: 's' },
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
          `\${GIT_HUB_API_KEY}`,
          `--token=\${GIT_HUB_TOKEN}`,
          '-e',
          `DB_PASSWORD=\${GIT_HUB_DB_PASSWORD}`,
        ],
        ...[
          '--header',
          `Authorization: Bearer \${GIT_HUB_AUTHORIZATION}`,
          `postgres://me:\${GIT_HUB_PASSWORD}@db.example/x`,
        ],
        ...[`\${GIT_HUB_SECRET}`, `sh -c "export SECRET_KEY=\${GIT_HUB_SECRET_KEY}; run"`, '--mode', 'fast', `\${SET}`],
      ],
      expand_variables: true,
    },
    fresh: {
      GIT_HUB_API_KEY: 'k1',
      GIT_HUB_TOKEN: 'k2',
      GIT_HUB_DB_PASSWORD: 'k3',
      GIT_HUB_AUTHORIZATION: 'k4',
      GIT_HUB_PASSWORD: 'k5',
      GIT_HUB_SECRET: GITHUB,
      GIT_HUB_SECRET_KEY: 'k6',
    },
  });
  const web = extract({ url: 'https://h.example/mcp?api_key=k7&team=blue' });
  expect({ entry: web.entry, fresh: web.fresh }).toEqual({
    entry: { url: `https://h.example/mcp?api_key=\${GIT_HUB_API_KEY}&team=blue`, expand_variables: true },
    fresh: { GIT_HUB_API_KEY: 'k7' },
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
