// @ts-check
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixtureArgs, withFixtureServer, withSwitchboard } from '../programs.mjs';

/** @typedef {import('./targets.mjs').Target} Target */

const neighbor = fileURLToPath(new URL('../neighbor-server.mjs', import.meta.url));

/** @type {readonly { transport: 'stdio' | 'http', endpoint: 'server' | 'aggregate' }[]} */
const COMBINATIONS = [
  { transport: 'stdio', endpoint: 'server' },
  { transport: 'stdio', endpoint: 'aggregate' },
  { transport: 'http', endpoint: 'server' },
  { transport: 'http', endpoint: 'aggregate' },
];

/**
 * The gateway in front of the fixture server and of a neighbor, which comes first. The endpoint is that of the fixture
 * server, or the root without prefixes.
 * @type {readonly Target[]}
 */
export const gatewayTargets = COMBINATIONS.map(({ transport, endpoint }) => ({
  name: `gateway:${transport}:${endpoint}`,
  side: 'server',
  judge: (run, revision) =>
    withUpstream({ transport, revision }, (fixture) =>
      withSwitchboard(
        (folder) => gatewayArgs(folder, { neighbor: nodeProgram([neighbor]), fixture }),
        (url) => run.all(['--url', endpoint === 'server' ? `${url}/fixture` : url]),
      ),
    ),
}));

/**
 * Over HTTP, the gateway prefers the newer era. On stdio, it prefers the older one, which has no keys for required input
 * and no error for a missing capability: the scenarios of the newer one need a server that speaks nothing else.
 * @template Result
 * @param {{ transport: 'stdio' | 'http', revision: string }} upstream
 * @param {(entry: object) => Promise<Result>} use
 */
function withUpstream({ transport, revision }, use) {
  if (transport === 'http') return withFixtureServer((url) => use({ url }));
  return use(nodeProgram(revision === '2026-07-28' ? [...fixtureArgs, '--modern'] : fixtureArgs));
}

/** @param {readonly string[]} args */
function nodeProgram(args) {
  return { command: process.execPath, args };
}

/** @param {string} folder @param {object} mcpServers */
function gatewayArgs(folder, mcpServers) {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify({ mcpServers }));
  return ['gateway', '--http', '0', '--auth', 'none', '--prefix', 'off', '--config', config];
}
