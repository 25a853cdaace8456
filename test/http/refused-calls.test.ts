import { describe, expect, test } from 'vitest';
import { statusOf, untilState } from '../gateway/server-status.ts';
import { answerBasics, at, type Handle, httpHarness, ofMethod, sendJson, textOf } from './harness.ts';

const { openGateway, openServer } = httpHarness();
const NEEDED = /^far \(127\.0\.0\.1:\d+\) needs you to sign in.*Run: switchboard mcp login far$/;

describe.each(['legacy', 'modern'] as const)('a %s server that answers 401', (era) => {
  test('to calls of one tool continues with the others', async () => {
    const server = await openPartlyPublic(era);
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    expect(textOf(await client.call('far__public'))).toBe('public');
    for (let count = 0; count < 2; count++) {
      expect((await client.call('far__private')).error).toMatchObject({
        code: 1003,
        message: expect.stringMatching(NEEDED),
      });
      expect(textOf(await client.call('far__public'))).toBe('public');
    }
    expect(statusOf(gateway, 'far').state).toBe('ready');
    expect(ofMethod(server.requests, era === 'legacy' ? 'initialize' : 'server/discover')).toHaveLength(1);
  });

  test('to everything at some point needs a sign-in: all calls say so, and its list is requested once', async () => {
    const server = await openPartlyPublic(era);
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    expect(textOf(await client.call('far__public'))).toBe('public');
    const before = ofMethod(server.requests, 'tools/list').length;
    server.lock();
    const refused = await Promise.all(Array.from({ length: 8 }, () => client.call('far__public')));
    expect(refused.map(({ error }) => String(error?.message)).filter((message) => !NEEDED.test(message))).toEqual([]);
    expect(statusOf(gateway, 'far').state).toBe('auth_required');
    expect(ofMethod(server.requests, 'tools/list')).toHaveLength(before + 1);
  });

  test('to its lists needs a sign-in, even if it answers initialize', async () => {
    const server = await openPartlyPublic(era, { hidesLists: true });
    const { connect, gateway } = openGateway({ far: at(server.url) });
    await connect();
    await untilState(gateway, 'far', 'auth_required');
  });
});

/** Supports sign-in, and has the tools `public` and `private`. Once locked, it rejects everything. */
async function openPartlyPublic(era: 'legacy' | 'modern', { hidesLists = false } = {}) {
  let isLocked = false;
  const server = await openServer((came, response) => {
    const { message, path } = came;
    if (path.startsWith('/.well-known/')) return sendJson(response, metadataOf(server.origin, path));
    const { method, params } = message;
    const isRefused = isLocked || params?.name === 'private' || (hidesLists && method === 'tools/list');
    if (isRefused) {
      const challenge = `Bearer resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    }
    return era === 'modern' ? answerModern(came, response) : answerLegacy(came, response);
  });
  const lock = () => {
    isLocked = true;
  };
  return { ...server, lock };
}

const TOOLS = ['public', 'private'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const SAID = { content: [{ type: 'text', text: 'public' }] };

const answerLegacy: Handle = (came, response) => {
  const { id, method } = came.message;
  if (method === 'tools/list') return sendJson(response, { jsonrpc: '2.0', id, result: { tools: TOOLS } });
  return answerBasics(came, response) || sendJson(response, { jsonrpc: '2.0', id, result: SAID });
};

const answerModern: Handle = ({ method: verb, message: { id, method } }, response) => {
  const common = { capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private', resultType: 'complete' };
  const results: Readonly<Record<string, object>> = {
    'server/discover': { supportedVersions: ['2026-07-28'], serverInfo: { name: 'scripted', version: '1' } },
    'tools/list': { tools: TOOLS },
    'tools/call': SAID,
  };
  const result = results[String(method)];
  if (verb !== 'POST' || result === undefined) return response.writeHead(405).end();
  return sendJson(response, { jsonrpc: '2.0', id, result: { ...common, ...result } });
};

function metadataOf(origin: string, path: string): object {
  if (path.startsWith('/.well-known/oauth-protected-resource'))
    return { resource: `${origin}/mcp`, authorization_servers: [origin] };
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  };
}
