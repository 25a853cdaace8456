import { describe, expect, test } from 'vitest';
import { serverEntry, stdioSettings } from '../../../test/config/server-entry.ts';
import type { HttpSettings, OAuthSettings, ServerEntry } from '../server-entry.ts';
import { resolveHttp } from './resolve-http.ts';

const ref = (inner: string) => `\${${inner}}`;
const resolve = (entry: ServerEntry, env: Record<string, string> = {}) =>
  resolveHttp(entry, env, { platform: 'linux' });
const invalid = (what: string) =>
  expect.objectContaining({
    code: 'CONFIG_INVALID',
    message: `Server far ${what} (/project/.mcp.json:7).`,
    data: expect.objectContaining({ server: 'far', file: '/project/.mcp.json', line: 7 }),
  });

describe('an unusable entry', () => {
  test.each<[string, Partial<HttpSettings>]>([
    ['has a line break in the header X-Key', { headers: { 'X-Key': 'a\r\nEvil: 1' } }],
    ['has a line break in the header X-Key', { headerEnv: { 'X-Key': 'TWO_LINES' } }],
    ['has a line break in the header Authorization', { bearerTokenEnv: 'TWO_LINES' }],
    ['has a url that does not begin with http:// or https://', { url: 'file:///etc/passwd' }],
    ['has a url that does not begin with http:// or https://', { url: ref('NO_URL') }],
    [
      'has a user name or password in its url: put them in headers.Authorization',
      { url: 'https://me:secret@a.test/mcp' },
    ],
  ])('%s', (what, settings) => {
    expect(() => resolve(http(settings), { TWO_LINES: 'a\nb', NO_URL: 'not an address' })).toThrow(invalid(what));
  });

  test.each<[string, Partial<HttpSettings>]>([
    ['url', { url: ref('NOPE') }],
    ['headers', { headers: { 'X-Key': ref('NOPE') } }],
    ['oauth.client_id', { oauth: oauth({ clientId: ref('NOPE') }) }],
    ['header_env', { headerEnv: { 'X-Key': 'NOPE' } }],
    ['bearer_token_env_var', { bearerTokenEnv: 'NOPE' }],
    ['oauth.client_secret_env', { oauth: oauth({ clientSecretEnv: 'NOPE' }) }],
  ])('needs a variable in %s that is not set', (_, settings) => {
    expect(() => resolve(http(settings))).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: 'far needs NOPE, which is not set (/project/.mcp.json:7). Run: switchboard secret set NOPE',
        data: { server: 'far', file: '/project/.mcp.json', line: 7, variable: 'NOPE' },
      }),
    );
  });

  test('names a variable that is empty', () => {
    expect(() => resolve(http({ bearerTokenEnv: 'EMPTY' }), { EMPTY: '' })).toThrow(
      'far needs EMPTY, which is not set',
    );
  });

  test('is a stdio entry', () => {
    expect(() => resolve({ ...http({}), transport: stdioSettings() })).toThrow(
      invalid('is a stdio server and has no URL'),
    );
  });

  test('never reveals its secret', () => {
    const env = { TOKEN: 'hunter2\nhunter3' };
    expect(() => resolve(http({ bearerTokenEnv: 'TOKEN' }), env)).not.toThrow(/hunter/);
  });
});

describe('a resolved entry', () => {
  test('has all variables expanded', () => {
    const entry = http({
      url: `https://${ref('HOST')}/mcp?a=1#part`,
      headers: { 'X-Team': `team ${ref('TEAM:-none')}` },
      headerEnv: { 'X-Key': 'KEY' },
      bearerTokenEnv: 'TOKEN',
      isSse: true,
      oauth: oauth({ clientId: ref('ID'), clientSecretEnv: 'SECRET', scope: 'a b' }),
    });
    expect(resolve(entry, { HOST: 'a.test', KEY: 'k', TOKEN: 't', ID: 'i', SECRET: 's' })).toEqual({
      url: 'https://a.test/mcp?a=1',
      headers: { 'X-Team': 'team none', 'X-Key': 'k', Authorization: 'Bearer t' },
      hasOwnAuthorization: true,
      isSse: true,
      oauth: oauth({ clientId: 'i', clientSecret: 's', clientSecretEnv: 'SECRET', scope: 'a b' }),
    });
  });

  test('has none expanded if the dialect has no variables', () => {
    const entry = { ...http({ headers: { 'X-Key': ref('KEY') } }), expandsVariables: false };
    expect(resolve(entry, { KEY: 'k' })).toEqual({
      url: 'http://127.0.0.1:8000/mcp',
      headers: { 'X-Key': ref('KEY') },
      hasOwnAuthorization: false,
      isSse: false,
      oauth: undefined,
    });
  });

  test('uses the value of a variable unchanged, whatever it looks like', () => {
    const entry = http({ headerEnv: { 'X-Key': 'KEY' }, oauth: oauth({ clientSecretEnv: 'SECRET' }) });
    const resolved = resolve(entry, { KEY: `a${ref('B')}`, SECRET: `s${ref('B')}` });
    expect([resolved.headers, resolved.oauth?.clientSecret]).toEqual([{ 'X-Key': `a${ref('B')}` }, `s${ref('B')}`]);
  });

  test.each(['Authorization', 'authorization', 'AUTHORIZATION'])(
    'with the header %s has its own authorization',
    (name) => {
      expect(resolve(http({ headers: { [name]: 'Bearer x' } })).hasOwnAuthorization).toBe(true);
    },
  );

  test('sends one of two headers that differ only in case', () => {
    const entry = http({ headers: { authorization: 'Bearer old' }, bearerTokenEnv: 'TOKEN' });
    expect(resolve(entry, { TOKEN: 'new' }).headers).toEqual({ Authorization: 'Bearer new' });
  });
});

function http(settings: Partial<HttpSettings>): ServerEntry {
  return serverEntry({
    id: 'far',
    transport: {
      kind: 'http',
      url: 'http://127.0.0.1:8000/mcp',
      headers: {},
      headerEnv: {},
      bearerTokenEnv: undefined,
      oauth: undefined,
      isSse: false,
      ...settings,
    },
  });
}

function oauth(settings: Partial<OAuthSettings>): OAuthSettings {
  return {
    authorizationUrl: undefined,
    tokenUrl: undefined,
    registrationUrl: undefined,
    clientId: undefined,
    clientSecret: undefined,
    clientSecretEnv: undefined,
    scope: undefined,
    ...settings,
  };
}
