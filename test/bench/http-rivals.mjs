// @ts-check
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { installOnce } from '../install-once.mjs';
import { baselineUpstream } from './gateway-process.mjs';
import { openSession, openSseClient } from './http-clients.mjs';
import { startFront } from './http-fronts.mjs';

const FOLDER = fileURLToPath(new URL('rivals', import.meta.url));

/** Why the rivals cannot be measured, or undefined if they are installed. */
export const rivalsMissing = () =>
  existsSync(programOf('mcp-hub')) ? undefined : 'the other programs are not installed: npm run bench -- --rivals';

/** Installs the rivals, once. They are not dependencies of this package. */
export function installRivals() {
  installOnce({
    folder: FOLDER,
    manifest: 'package.json',
    npmArgs: ['install', '--no-package-lock'],
    notice: 'Installing the programs to compare with, once: mcp-hub, mcp-proxy and supergateway.',
  });
}

/**
 * Programs that serve a stdio server over HTTP, with how to start them and how to be their client.
 * @satisfies {Record<string, { start: () => Promise<import('./http-fronts.mjs').Front>, open: (front: import('./http-fronts.mjs').Front) => Promise<import('./http-clients.mjs').HttpCaller> }>}
 */
export const rivals = {
  'mcp-proxy': {
    start: () =>
      startFront({
        config: () => ({}),
        args: ({ port }) => [
          ...[programOf('mcp-proxy'), '--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--'],
          ...commandLine(),
        ],
        tool: 'echo',
      }),
    open: openSession,
  },
  /** Stateful, because otherwise it starts a server for each request. */
  supergateway: {
    start: () =>
      startFront({
        config: () => ({}),
        args: ({ port }) => [
          ...[programOf('supergateway'), '--stdio', commandLine().join(' '), '--outputTransport', 'streamableHttp'],
          ...['--stateful', '--port', String(port), '--logLevel', 'none'],
        ],
        tool: 'echo',
      }),
    open: openSession,
  },
  /** It has only the HTTP+SSE transport. */
  'mcp-hub': {
    start: () =>
      startFront({
        config: (server) => ({ mcpServers: { s1: server } }),
        args: ({ port, config }) => [programOf('mcp-hub'), '--port', String(port), '--config', config],
        tool: 's1__echo',
      }),
    open: openHubClient,
  },
};

/** mcp-hub listens before it is ready, and fails calls of a server that it has not connected to.
 * @param {import('./http-fronts.mjs').Front} front */
async function openHubClient(front) {
  for (const start = performance.now(); ; await delay(RETRY_MS)) {
    const client = await openSseClient(front).catch(() => undefined);
    try {
      if (client === undefined) throw new Error('mcp-hub does not serve clients.');
      await client.call(front.tool, 'ready');
      return client;
    } catch (error) {
      client?.close();
      if (performance.now() - start > READY_MS) throw error;
    }
  }
}

const RETRY_MS = 100;
const READY_MS = 20_000;

/** @param {string} name */
function programOf(name) {
  return `${FOLDER}/node_modules/.bin/${name}`;
}

function commandLine() {
  const { command, args } = baselineUpstream();
  return [command, ...args];
}
