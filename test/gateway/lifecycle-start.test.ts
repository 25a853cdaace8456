import { mkdtempSync, writeFileSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type TestServer } from './harness.ts';
import { statusOf, untilState } from './server-status.ts';

const { openGateway } = gatewayHarness();

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

verifies(
  'gateway:aggregate:parallel-start',
  'servers that hang in the handshake, however many, keep no other from starting',
  async () => {
    const hanging = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [`h${index}`, fixture('hangs-at-initialize')]),
    );
    const { connect, gateway } = openGateway(
      { ...hanging, last: fixture('well-behaved') },
      { settings: { listTimeoutMs: 3_000 } },
    );
    const client = await connect();
    await untilState(gateway, 'last', 'ready');
    expect((await client.call('last__echo', { text: 'here' })).result.content[0].text).toBe('here');
    expect(gateway.status().map(({ id, state }) => [id, state])).toEqual([
      ...Object.keys(hanging).map((id) => [id, 'connecting']),
      ['last', 'ready'],
    ]);
  },
);

test('a list waits for slow servers only up to its limit, and the client is notified when they are ready', async () => {
  const servers = { slow: fixture('slow-start', '6000'), quick: fixture('well-behaved') };
  const { connect } = openGateway(servers, { settings: { listTimeoutMs: 200 } });
  const client = await connect();
  // From here on, the fast server is ready, even on a busy machine.
  await client.call('quick__echo', { text: 'there' });
  const names = await client.toolNames();
  expect(names).toEqual(['quick__echo', 'quick__add', 'quick__slow']);
  await client.waitFor(({ method }) => method === 'notifications/tools/list_changed');
  expect(await client.toolNames()).toEqual(['slow__echo', ...names]);
});

test('a call to a server that is still starting waits for it', async () => {
  const { connect } = openGateway({ slow: fixture('slow-start', '500') });
  const client = await connect();
  expect((await client.call('slow__echo', { text: 'at last' })).result.content[0].text).toBe('at last');
});

test('each server uses the protocol version that it chose', async () => {
  const { connect, gateway } = openGateway({ old: fixture('old-protocol'), today: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  const versions = gateway.status().map(({ id, protocolVersion }) => [id, protocolVersion]);
  expect(versions).toEqual([
    ['old', '2024-11-05'],
    ['today', '2025-11-25'],
  ]);
  expect((await client.call('old__echo', { text: 'well' })).result.content[0].text).toBe('well');
});

verifies(
  'gateway:aggregate:failed-start',
  'a server that exits at startup is an error with its exit code and last stderr line, and affects no other',
  async () => {
    const { connect, gateway } = openGateway({ ill: fixture('dies-at-start'), good: fixture('well-behaved') });
    const client = await connect();
    expect(await client.toolNames()).toEqual(['good__echo', 'good__add', 'good__slow']);
    expect((await client.call('good__echo', { text: 'well' })).result.content[0].text).toBe('well');
    await untilState(gateway, 'ill', 'error');
    expect(statusOf(gateway, 'ill')).toEqual({
      id: 'ill',
      state: 'error',
      reason: 'it ended with exit code 3: dies-at-start: API_KEY is not set. Set `API_KEY` in its `env`',
      next: 'switchboard set ill env.API_KEY --scope global',
      configured: '/test/config.json:1',
      restarts: expect.any(Number),
      tools: 0,
      hiddenTools: 0,
      prompts: 0,
      resources: 0,
      changes: [],
      changedTools: [],
      quarantined: [],
      problems: [],
      lastWords: ['dies-at-start: API_KEY is not set', 'See the README.'],
    });
    const { error } = await client.call('ill__anything');
    expect(error?.data).toMatchObject({ kind: 'server_error', retryable: true, serverName: 'ill' });
    expect(error?.message).toBe(
      'Server error: ill is down: it ended with exit code 3: dies-at-start: API_KEY is not set. Set `API_KEY` in its `env`. Run: switchboard mcp test ill',
    );
  },
);

test('a server that does not answer initialize in time is an error, and is stopped and restarted', async () => {
  const { connect, gateway } = openGateway({ mute: { ...fixture('hangs-at-initialize'), startupTimeoutMs: 200 } });
  const client = await connect();
  const answer = await client.call('mute__anything');
  expect(answer.error).toMatchObject({
    code: 1044,
    message: expect.stringMatching(
      /^Server error: mute is down: it did not become ready: mute did not answer initialize within .* Run: switchboard mcp test mute$/,
    ),
    data: { kind: 'server_error', retryable: true, serverName: 'mute' },
  });
  expect(statusOf(gateway, 'mute').restarts).toBeGreaterThan(0);
});

describe('a server that cannot be started', () => {
  const notExecutable = () => {
    const file = join(newFolder(), 'server.mjs');
    writeFileSync(file, '#!/usr/bin/env node\n', { mode: 0o644 });
    return file;
  };

  test.each<[string, () => TestServer, RegExp]>([
    [
      'a command that does not exist',
      () => ({ command: 'no-such-command-anywhere' }),
      /^Spawn error: command not found: no-such-command-anywhere\. Check PATH/,
    ],
    [
      'a file that is not executable',
      () => ({ command: notExecutable() }),
      /^Spawn error: not executable: .*server\.mjs\. Check its permissions/,
    ],
    [
      'a working folder that does not exist',
      () => ({ ...fixture('well-behaved'), cwd: '/no/such/folder' }),
      /^Spawn error: the working folder does not exist: \/no\/such\/folder/,
    ],
    [
      'an unset variable',
      () => ({ ...fixture('well-behaved'), env: { KEY: `\${NO_SUCH_VARIABLE}` }, expandsVariables: true }),
      /^bad needs NO_SUCH_VARIABLE, which is not set \(\/test\/config\.json:1\)/,
    ],
  ])('reports the reason in its state and to callers: %s', async (_, server, reason) => {
    const { connect, gateway } = openGateway({ bad: server(), good: fixture('well-behaved') });
    const client = await connect();
    expect(await client.toolNames()).toContain('good__echo');
    await untilState(gateway, 'bad', 'error');
    expect(statusOf(gateway, 'bad').reason).toMatch(reason);
    const { error } = await client.call('bad__anything');
    expect(error?.message).toMatch(reason);
    expect(error?.message).toMatch(/ Run: switchboard (?:mcp test bad|secret set NO_SUCH_VARIABLE)$/);
    expect(error?.data).toMatchObject({
      kind: 'spawn_error',
      retryable: false,
      serverName: 'bad',
      toolName: 'bad__anything',
    });
  });
});

describe('the environment of a server', () => {
  const parent = {
    SECRET_TOKEN: 'of the parent',
    NAMED: 'by the entry',
    LC_TEST: 'allowed',
    https_proxy: 'http://proxy.test',
  };

  async function testEnvironment(server: Partial<TestServer>) {
    const { connect } = openGateway(
      { one: { ...fixture('reports-environment', 'an argument'), ...server } },
      { env: parent },
    );
    const client = await connect();
    const { result } = await client.call('one__environment');
    return JSON.parse(result.content[0].text) as { env: Record<string, string>; cwd: string; args: string[] };
  }

  verifies('gateway:environment:allow-list', 'contains what programs need, and no secret of the parent', async () => {
    const { env, args } = await testEnvironment({});
    expect(args).toEqual(['an argument']);
    expect({ path: env['PATH'], lc: env['LC_TEST'], proxy: env['https_proxy'] }).toEqual({
      path: process.env['PATH'],
      lc: 'allowed',
      proxy: 'http://proxy.test',
    });
    const strangers = Object.keys(env).filter(
      (name) =>
        !/^(PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|TZ|TMPDIR|NODE_EXTRA_CA_CERTS|(LC_|XDG_|SSL_CERT_|SWITCHBOARD_).*|.*_PROXY|.*_proxy)$/.test(
          name,
        ),
    );
    expect(strangers).toEqual([]);
    expect(JSON.stringify(env)).not.toContain('of the parent');
  });

  verifies(
    'gateway:environment:allow-list',
    'contains what the entry sets, and the variables that it names',
    async () => {
      const { env } = await testEnvironment({
        env: { OWN: 'value', LC_TEST: 'replaced' },
        envVars: ['NAMED', 'NOT_SET'],
      });
      const { OWN, NAMED, LC_TEST, SECRET_TOKEN, NOT_SET } = env;
      expect({ OWN, NAMED, LC_TEST, SECRET_TOKEN, NOT_SET }).toEqual({
        OWN: 'value',
        NAMED: 'by the entry',
        LC_TEST: 'replaced',
        SECRET_TOKEN: undefined,
        NOT_SET: undefined,
      });
    },
  );

  test('is inherited from the parent if the entry says so', async () => {
    const { env } = await testEnvironment({ inheritEnv: true, env: { OWN: 'value' } });
    expect({ secret: env['SECRET_TOKEN'], own: env['OWN'] }).toEqual({ secret: 'of the parent', own: 'value' });
  });

  test('includes the working folder of the entry', async () => {
    const cwd = newFolder();
    expect((await testEnvironment({ cwd })).cwd).toBe(await realpath(cwd));
  });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-'));
  folders.push(folder);
  return folder;
}
