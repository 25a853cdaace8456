import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { mcpLogin } from '../../src/cli/mcp/login/command.ts';
import { verifies } from '../verifies.ts';
import { browse, ID, refusalOf, secretsIn, type Testbed, useTestbeds } from './login-harness.ts';
import { noTerminal, projectOf, type RunOptions, runCommand, writeConfig } from './run-login-command.ts';

const newTestbed = useTestbeds();
const browser = join(import.meta.dirname, 'fixtures', 'login-browser.mjs');

describe('switchboard mcp login', () => {
  verifies(
    ['auth:flow:pkce', 'auth:flow:registration', 'auth:store:format', 'auth:store:private'],
    'opens the browser, after which the server is usable',
    async () => {
      const testbed = await newConfiguredTestbed();
      const log = join(testbed.folder, 'browser.log');
      const ended = await login(testbed, ['--wait'], { env: { BROWSER: browser, BROWSER_LOG: log } });
      const host = new URL(testbed.server.url).host;
      expect(ended.status).toBe(0);
      expect(ended.stdout).toMatch(
        /^Signed in to notes\. The token is refreshed automatically \(expires \d{4}-\d\d-\d\d \d\d:\d\d\)\./,
      );
      expect(ended.stderr).toMatch(
        new RegExp(`^Opening your browser to sign in to notes \\(${host}.*\\)…\nIf nothing opens, visit:  http://`),
      );
      expect(ended.stderr).toMatch(/\nNext: switchboard tools notes$/);
      const [address] = JSON.parse(readFileSync(log, 'utf8'));
      expect(ended.stderr).toContain(`visit:  ${address}`);
      const query = new URL(address).searchParams;
      expect([query.get('code_challenge_method'), query.get('resource'), query.get('response_type')]).toEqual([
        'S256',
        testbed.server.url,
        'code',
      ]);
      expect(new URL(query.get('redirect_uri') ?? '').pathname).toMatch(/^\/callback\/[0-9a-f]{32}$/);
      const file = join(testbed.folder, 'mcp-auth.json');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
        version: 1,
        servers: {
          notes: expect.objectContaining({
            access_token: expect.any(String),
            refresh_token: expect.any(String),
            expires_at: expect.any(Number),
            token_type: 'Bearer',
            client_id: expect.any(String),
            url: testbed.server.url,
            issuer: testbed.authorizationServer.issuer,
            resource: testbed.server.url,
            redirect_uri: query.get('redirect_uri'),
            registration: 'dcr',
          }),
        },
      });
      expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
      assertNoSecrets(testbed, ended);
    },
    15_000,
  );

  test('again reuses the client and redirect URI, and requests other scopes if told to', async () => {
    const testbed = await newConfiguredTestbed({ server: { scopesSupported: ['mcp:read', 'mcp:write'] } });
    const first = await login(testbed, ['--wait', '--scopes', 'mcp:read'], withManualBrowser());
    const before = testbed.stored();
    const second = await login(testbed, ['--wait', '--scopes=mcp:read,mcp:write', '--json'], withManualBrowser());
    const after = testbed.stored();
    expect([first.status, second.status]).toEqual([0, 0]);
    expect([after?.['client_id'], after?.['redirect_uri']]).toEqual([before?.['client_id'], before?.['redirect_uri']]);
    expect(after?.['access_token']).not.toBe(before?.['access_token']);
    expect(testbed.authorizationServer.requests['registration']).toBe(1);
    expect(JSON.parse(second.stdout)).toEqual({
      v: 1,
      server: 'notes',
      signedIn: true,
      issuer: testbed.authorizationServer.issuer,
      scope: after?.['scope'],
      expiresAt: after?.['expires_at'],
      renews: true,
    });
    expect(String(after?.['scope']).split(' ')).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']));
  });

  test('with --no-browser only prints the URL', async () => {
    const testbed = await newConfiguredTestbed();
    const log = join(testbed.folder, 'browser.log');
    const how = withManualBrowser({ BROWSER: browser, BROWSER_LOG: log });
    const ended = await login(testbed, ['--wait', '--no-browser'], how);
    expect([ended.status, existsSync(log)]).toEqual([0, false]);
    expect(ended.stderr).toMatch(/^To sign in to notes \(.*\), visit: {2}http:/);
  });

  test('reports that no browser can be opened, and keeps waiting', async () => {
    const testbed = await newConfiguredTestbed();
    const missing = join(testbed.folder, 'no such browser');
    let address = '';
    const onTalk = (line: string) => {
      address ||= addressIn(line) ?? '';
      if (line.startsWith('Could not open a browser')) void browse(address);
    };
    const ended = await login(testbed, ['--wait'], { env: { BROWSER: missing }, onTalk });
    expect(ended.status).toBe(0);
    expect(ended.stderr).toContain(`Could not open a browser (${missing}: ENOENT): visit the URL above.`);
  });

  test('accepts a pasted URL without echo, and rejects a wrong one', async () => {
    const testbed = await newConfiguredTestbed();
    const input = newTerminal();
    const foreign = 'http://127.0.0.1:1/callback?code=stolen&state=foreign';
    const onTalk = (line: string) => {
      const address = addressIn(line);
      if (line.startsWith('This is not the callback URL'))
        void testbed.authorizationServer
          .followRedirects(lastAddress)
          .then((callback) => input.write(`  ${callback.href}\r`));
      if (address === undefined) return;
      lastAddress = address;
      input.write(`${foreign}\r`);
    };
    let lastAddress = '';
    const ended = await login(testbed, ['--no-browser'], { input, onTalk });
    expect([ended.status, ended.stdout.startsWith('Signed in to notes.')]).toEqual([0, true]);
    expect(ended.stderr).toContain("Paste the browser's final URL");
    expect(ended.stderr).toContain('This is not the callback URL of this sign-in.');
    expect(ended.stderr).not.toContain('stolen');
    expect(input.modes).toEqual([true, false, true, false]);
    assertNoSecrets(testbed, ended);
  });

  test('exits with 130 on Ctrl-C, and with 8 on timeout', async () => {
    const testbed = await newConfiguredTestbed();
    const input = newTerminal();
    const cancelled = await login(testbed, ['--no-browser'], { input, onTalk: () => void input.write('\u0003') });
    expect([cancelled.status, cancelled.stdout, input.modes]).toEqual([130, '', [true, false]]);
    const late = await login(testbed, ['--wait', '--no-browser', '--timeout', '4']);
    expect([late.status, late.stdout]).toEqual([8, '']);
    expect(late.stderr).toContain(
      'The sign-in to notes was not completed within 4 s. Run it again: switchboard mcp login notes',
    );
    expect(secretsIn(testbed.stored())).toEqual([]);
  });

  test('without a terminal prints the URL and exits with 3 at once', async () => {
    const testbed = await newConfiguredTestbed();
    const log = join(testbed.folder, 'browser.log');
    const ended = await login(testbed, ['--scopes', 'mcp:read'], { env: { BROWSER: browser, BROWSER_LOG: log } });
    const answer = JSON.parse(ended.stdout);
    expect([ended.status, ended.stderr, existsSync(log)]).toEqual([
      3,
      'This command does not wait for the sign-in. Run: switchboard mcp login notes --scopes mcp:read --wait',
      false,
    ]);
    expect(answer).toEqual({
      v: 1,
      authUrl: expect.stringMatching(`^${testbed.authorizationServer.issuer}/auth\\?`),
      resume: 'switchboard mcp login notes --scopes mcp:read --wait',
    });
    // Nothing waits for the end of this one.
    const callback = await testbed.authorizationServer.followRedirects(answer.authUrl);
    await expect(fetch(callback)).rejects.toThrow();
  });

  test('with --device shows a code, and needs no local browser', async () => {
    const testbed = await newConfiguredTestbed({
      authorizationServer: { deviceIntervalSeconds: 0.05 },
      server: { challengeScope: 'mcp:read' },
    });
    const onTalk = (line: string) => {
      const [, address = ''] = /Or open directly: {2}(\S+)/.exec(line) ?? [];
      if (address !== '') void testbed.authorizationServer.approveDevice(address);
    };
    const ended = await login(testbed, ['--device', '--wait'], { onTalk });
    expect([ended.status, ended.stderr]).toEqual([
      0,
      expect.stringMatching(
        /^To sign in to notes, open http:\S+ on any device and enter the code [A-Z-]+\nOr open directly: {2}/,
      ),
    ]);
    expect(await testbed.call(testbed.credentials(), 'whoami')).toBe('alice');
    assertNoSecrets(testbed, ended);
    const alone = await login(testbed, ['--device']);
    expect([alone.status, JSON.parse(alone.stdout)]).toEqual([
      3,
      expect.objectContaining({
        v: 1,
        userCode: expect.any(String),
        resume: 'switchboard mcp login notes --device --wait',
      }),
    ]);
    expect(alone.stdout).not.toContain('deviceCode');
  });

  test('with --device reports if the server does not support it', async () => {
    const testbed = await newConfiguredTestbed({ authorizationServer: { device: false } });
    const ended = await login(testbed, ['--device', '--wait']);
    expect([ended.status, ended.stderr.includes('does not support sign-in by device code')]).toEqual([2, true]);
  });

  verifies(
    'auth:flow:client',
    'uses the client, secret and scope from the config, and does not store the secret',
    async () => {
      const secret = 'secret-of-the-config';
      const port = await freePort();
      const client = { client_id: 'ours', client_secret: secret, redirect_uris: [`http://127.0.0.1:${port}/callback`] };
      const grants = { grant_types: ['authorization_code', 'refresh_token'], application_type: 'native' };
      const testbed = await newTestbed({
        authorizationServer: { registration: false, clients: [{ ...client, ...grants }] },
      });
      const oauth = { client_id: 'ours', client_secret_env: 'OUR_SECRET', scope: 'mcp:read' };
      writeConfig(testbed, { [ID]: { transport: 'http', url: testbed.server.url, oauth } });
      const env = { OUR_SECRET: secret };
      const ended = await login(
        testbed,
        ['--wait', '--no-browser', '--callback-port', String(port)],
        withManualBrowser(env),
      );
      expect([ended.status, ended.stderr.includes('scopes: mcp:read')]).toEqual([0, true]);
      const stored = testbed.stored();
      expect([stored?.['client_id'], stored?.['registration'], stored?.['client_secret']]).toEqual([
        'ours',
        'static',
        undefined,
      ]);
      expect(ended.stdout + ended.stderr).not.toContain(secret);
      const settings = { ...NO_SETTINGS, clientId: 'ours', clientSecret: secret };
      testbed.store.update(ID, (record) => record && { ...record, expiresAt: 1 });
      expect(await testbed.call(testbed.credentials({ settings }), 'whoami')).toBe('alice');
      expect(testbed.authorizationServer.requests['token:refresh_token']).toBe(1);
      testbed.store.update(ID, (record) => record && { ...record, expiresAt: 1 });
      const other = testbed.credentials({ settings: { ...settings, clientId: 'another', clientSecret: 'of-another' } });
      const refusal = await refusalOf(Promise.resolve(other.authorization()));
      expect([refusal.code, refusal.message.includes('the OAuth client in the config is not the one used')]).toEqual([
        'SIGN_IN_NEEDED',
        true,
      ]);
      expect(testbed.authorizationServer.requests['token:refresh_token:failed']).toBeUndefined();
    },
  );
});

describe('offers no sign-in', () => {
  verifies('auth:flow:stdio', 'for a stdio server', async () => {
    const testbed = await newTestbed();
    writeConfig(testbed, { local: { transport: 'stdio', command: 'true' } });
    const ended = await runCommand(mcpLogin, testbed, ['local']);
    expect([ended.status, ended.stderr]).toEqual([
      2,
      expect.stringMatching(/^local is a stdio server and needs no sign-in/),
    ]);
  });

  test('to a server that needs a key: registers nothing, and names the header', async () => {
    const testbed = await newConfiguredTestbed({ server: { apiKeyOnly: 'a-key-of-its-own' } });
    const ended = await login(testbed, ['--wait']);
    expect([ended.status, ended.stdout]).toEqual([4, '']);
    expect(ended.stderr).toMatch(/offers no sign-in.*headers\.Authorization/);
    expect(
      testbed.server.seen.map(({ method, path }) => `${method} ${path}`).filter((line) => line.startsWith('POST')),
    ).toEqual(['POST /mcp']);
  });

  test('if the entry has its own header, is off, invalid or untrusted, or does not exist', async () => {
    const testbed = await newTestbed();
    const { url } = testbed.server;
    writeConfig(testbed, {
      own: { transport: 'http', url, headers: { Authorization: 'Bearer of-the-entry' } },
      off: { transport: 'http', url, enabled: false },
      broken: { transport: 'http', url: 'ftp://x' },
      unset: { transport: 'http', url, bearer_token_env_var: 'NOT_SET' },
    });
    writeFileSync(
      join(projectOf(testbed), '.mcp.json'),
      JSON.stringify({ mcpServers: { strange: { type: 'http', url } } }),
    );
    const run = (id: string) => runCommand(mcpLogin, testbed, [id, '--wait']);
    const ids = ['own', 'off', 'broken', 'unset', 'strange', 'note', 'zzzzzz'];
    const ended = await Promise.all(ids.map(run));
    expect(ended.map(({ status }) => status)).toEqual([2, 2, 7, 7, 9, 2, 2]);
    expect(ended.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining('own has its own Authorization header'),
      expect.stringContaining('Run: switchboard mcp enable off'),
      expect.stringContaining('broken ('),
      expect.stringContaining('NOT_SET'),
      expect.stringContaining('switchboard trust'),
      expect.stringContaining('There is no server note. Did you mean notes?'),
      expect.stringContaining('There is no server zzzzzz. See: switchboard mcp list'),
    ]);
    expect(testbed.server.seen).toEqual([]);
    expect(ended.map(({ stderr }) => stderr).join()).not.toContain('of-the-entry');
  });

  test.each([
    [['--what'], 'There is no option --what'],
    [[], '<id> is missing'],
    [['a', 'b'], 'Unexpected argument b.'],
    [['a', '--timeout', '0'], '--timeout must be a whole number from 1 to 86400'],
    [['a', '--callback-port', '70000'], '--callback-port must be a whole number from 1 to 65535'],
  ])('with arguments like %j', async (args, message) => {
    const testbed = await newConfiguredTestbed();
    const ended = await runCommand(mcpLogin, testbed, args);
    expect([ended.status, ended.stdout, ended.stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });
});

const NO_SETTINGS = {
  authorizationUrl: undefined,
  tokenUrl: undefined,
  registrationUrl: undefined,
  clientId: undefined,
  clientSecret: undefined,
  clientSecretEnv: undefined,
  scope: undefined,
};

async function newConfiguredTestbed(options?: Parameters<typeof newTestbed>[0]): Promise<Testbed> {
  const testbed = await newTestbed(options);
  writeConfig(testbed);
  return testbed;
}

function login(testbed: Testbed, args: readonly string[], options?: RunOptions) {
  return runCommand(mcpLogin, testbed, [ID, ...args], { input: noTerminal(), ...options });
}

/** Simulates a user who opens the printed URL, without a program that opens it. */
function withManualBrowser(env: Readonly<Record<string, string>> = { BROWSER: 'true' }): RunOptions {
  const onTalk = (line: string) => {
    const address = addressIn(line);
    if (address !== undefined) void browse(address);
  };
  return { env, onTalk };
}

function addressIn(line: string): string | undefined {
  return /visit: {2}(\S+)/.exec(line)?.[1];
}

/** Simulates a user at a keyboard. */
function newTerminal() {
  const modes: boolean[] = [];
  const stream = new PassThrough();
  const setRawMode = (mode: boolean) => {
    modes.push(mode);
    return terminal;
  };
  const terminal = Object.assign(stream, { isTTY: true, setRawMode, modes }) as PassThrough & {
    readonly modes: boolean[];
  } & NonNullable<RunOptions['input']>;
  return terminal;
}

function assertNoSecrets(
  testbed: Testbed,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): void {
  const secrets = secretsIn(testbed.stored());
  expect(secrets.length).toBeGreaterThan(0);
  for (const secret of secrets) expect(stdout + stderr).not.toContain(secret);
  expect(stdout + stderr).not.toMatch(/[?&](code|code_verifier)=/);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
