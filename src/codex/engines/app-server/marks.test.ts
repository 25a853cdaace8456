import { expect, test } from 'vitest';
import type { AppServerLink } from './link.ts';
import { serverMarks } from './marks.ts';

const ENV = { SWITCHBOARD_MARK: 'm/1/', SWITCHBOARD_DEPTH: '2' };

test.each([
  ['a configuration that is none', undefined],
  ['no servers', {}],
  ['servers that are none', { mcp_servers: 'none' }],
  ['addresses only', { mcp_servers: { web: { url: 'https://example.com/' }, odd: 'x' } }],
])('nobody is marked: %s', async (_, config) => {
  expect(await serverMarks(link(config), {})).toEqual({});
});

test('every program is marked, of the configuration of that folder and of the caller', async () => {
  const asked: unknown[] = [];
  const config = { mcp_servers: { files: { command: 'files' }, web: { url: 'https://example.com/' } } };
  const own = { mcp_servers: { mine: { command: 'mine', env: { A: '1' } } } };

  expect(await serverMarks(link(config, asked), { cwd: '/w', config: own })).toEqual({
    mcp_servers: { files: { env: ENV }, mine: { env: ENV } },
  });
  expect(asked).toEqual([['config/read', { cwd: '/w' }]]);
});

function link(config: unknown, asked: unknown[] = []): AppServerLink {
  return {
    version: undefined,
    pid: 1,
    mark: 'm/1/',
    depth: 2,
    async request(method, params) {
      asked.push([method, params]);
      return { config };
    },
    close: async () => {},
  };
}
