import { expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import type { SessionSettings } from '../../engine.ts';
import type { AppServerConnection } from './connection.ts';
import { McpServerEnv } from './mcp-server-env.ts';

const ENV = { SWITCHBOARD_MARK: 'm/1/', SWITCHBOARD_DEPTH: '2' };
const GONE = new AppError('REQUEST_FAILED', 'failed to load configuration: invalid transport in `mcp_servers.files`');
const giveBack = async (settings: SessionSettings) => settings;

test.each([
  ['no configuration', undefined],
  ['no servers', {}],
  ['invalid servers', { mcp_servers: 'none' }],
  ['only HTTP servers', { mcp_servers: { web: { url: 'https://example.com/' }, odd: 'x' } }],
])('marks no server: %s', async (_, config) => {
  expect(await new McpServerEnv({ readsProjects: true }).openWithEnv(link([config]), { model: 'm' }, giveBack)).toEqual(
    {
      model: 'm',
    },
  );
});

test('marks no server if Codex does not report its configuration', async () => {
  const silent = { ...link([]), request: () => Promise.reject(new AppError('REQUEST_FAILED', 'unknown variant')) };
  expect(await new McpServerEnv({ readsProjects: true }).openWithEnv(silent, {}, giveBack)).toEqual({});
});

test('marks every stdio server in the configuration of the folder and of the caller', async () => {
  const asked: unknown[] = [];
  const config = { mcp_servers: { files: { command: 'files' }, web: { url: 'https://example.com/' } } };
  const own = { mcp_servers: { mine: { command: 'mine', env: { A: '1' } } } };

  expect(
    await new McpServerEnv({ readsProjects: true }).openWithEnv(
      link([config], asked),
      { cwd: '/w', config: own },
      giveBack,
    ),
  ).toEqual({
    cwd: '/w',
    config: { mcp_servers: { files: { env: ENV }, mine: { command: 'mine', env: { A: '1', ...ENV } } } },
  });
  expect(asked).toEqual([['config/read', { cwd: '/w' }]]);
});

test('reads the configuration again if a server was removed, and opens the session', async () => {
  const marks = new McpServerEnv({ readsProjects: true });
  const config = { mcp_servers: { files: { command: 'files' } } };
  const before = link([config]);
  await marks.openWithEnv(before, {}, giveBack);
  const refuseOnce = [GONE];
  const open = async (settings: SessionSettings) => {
    const refusal = refuseOnce.pop();
    if (refusal !== undefined) throw refusal;
    return settings;
  };

  expect(await marks.openWithEnv(link([{}]), {}, open)).toEqual({});
});

test('passes on any other error', async () => {
  const marks = new McpServerEnv({ readsProjects: true });
  const refusal = new AppError('REQUEST_FAILED', 'unknown model');
  const refuse = () => Promise.reject(refusal);

  await expect(marks.openWithEnv(link([{}]), {}, refuse)).rejects.toBe(refusal);
  await expect(marks.openWithEnv(link([{}]), {}, refuse)).rejects.toBe(refusal);
});

/** Returns each configuration in turn, then keeps returning the last one. */
function link(configs: readonly unknown[], asked: unknown[] = []): AppServerConnection {
  return {
    version: undefined,
    pid: 1,
    mark: 'm/1/',
    depth: 2,
    async request(method, params) {
      asked.push([method, params]);
      return { config: configs[Math.min(asked.length, configs.length) - 1] };
    },
    kill: async () => {},
    close: async () => {},
  };
}
