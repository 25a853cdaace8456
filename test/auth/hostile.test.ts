import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { readChallenge } from '../../src/auth/discovery/challenge.ts';
import { discover } from '../../src/auth/discovery/discovery.ts';
import { obtainClient } from '../../src/auth/oauth/client-registration.ts';
import { beginAuthorization } from '../../src/auth/sign-in/authorization.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/net/guarded-fetch.ts';
import { scriptedFetch } from './scripted-fetch.ts';
import { REDIRECT } from './sign-in-steps.ts';

/** A server and its authorization server at one origin. They are correct except for the changes of each case. */
interface HostileServer {
  readonly resourceMetadata?: string;
  readonly resource?: object;
  readonly server?: object;
}

interface Case {
  readonly does: string;
  readonly lies: (origin: string) => HostileServer;
  readonly says: RegExp;
  /** How far the sign-in got: the paths that it may have requested at its own origin. */
  readonly asked: readonly string[];
  /** For a server on this machine, this URL would be valid. */
  readonly onlyPublic?: true;
}

const PRM = '/.well-known/oauth-protected-resource/mcp';
const ASM = '/.well-known/oauth-authorization-server';

const cases: readonly Case[] = [
  {
    does: 'names its metadata at the address where clouds keep their secrets',
    lies: () => ({ resourceMetadata: 'http://169.254.169.254/latest/meta-data/' }),
    says: /^Refused to sign in: .* points to OAuth metadata at http:\/\/169\.254\.169\.254\/latest\/meta-data\/, which is not on its own host/,
    asked: [],
  },
  {
    does: 'names its metadata at a foreign origin',
    lies: () => ({ resourceMetadata: 'https://evil.example/prm' }),
    says: /which is not on its own host/,
    asked: [],
  },
  {
    does: 'names an authorization server in a private network',
    lies: () => ({ resource: { authorization_servers: ['http://10.0.0.1:8080'] } }),
    says: /^Refused to use the URL http:\/\/10\.0\.0\.1:8080: others can read http/,
    asked: [PRM],
  },
  {
    does: 'names an authorization server in a private network, by https',
    lies: () => ({ resource: { authorization_servers: ['https://10.0.0.1:8080'] } }),
    says: /^Refused to use the URL https:\/\/10\.0\.0\.1:8080: it is in a private network/,
    asked: [PRM],
  },
  {
    does: 'has its clients registered at a port of this machine',
    lies: () => ({ server: { registration_endpoint: 'http://127.0.0.1:6379/' } }),
    says: /^Refused to use the URL http:\/\/127\.0\.0\.1:6379\/: it is on this machine/,
    asked: [PRM, ASM],
    onlyPublic: true,
  },
  {
    does: 'lets a browser open a file',
    lies: () => ({ server: { authorization_endpoint: 'file:///etc/passwd' } }),
    says: /^Refused to use the URL file:\/\/\/etc\/passwd: only https URLs are allowed, not file:/,
    asked: [PRM, ASM],
  },
  {
    does: 'lets a person type a password over http',
    lies: () => ({ server: { authorization_endpoint: 'http://as.example.com/authorize' } }),
    says: /^Refused to use the URL http:\/\/as\.example\.com\/authorize: others can read http/,
    asked: [PRM, ASM],
  },
  {
    does: 'hides an option for a program in a user name',
    lies: () => ({ server: { authorization_endpoint: 'https://-o@as.example.com/authorize' } }),
    says: /^Refused to use the URL https:\/\/…@as\.example\.com\/authorize: it contains a user name or a password/,
    asked: [PRM, ASM],
  },
  {
    does: 'does not say that it knows PKCE',
    lies: () => ({ server: { code_challenge_methods_supported: undefined } }),
    says: /^Refused to sign in: the authorization server .* does not declare support for PKCE with S256/,
    asked: [PRM, ASM],
  },
  {
    does: 'knows PKCE in its plain form only',
    lies: () => ({ server: { code_challenge_methods_supported: ['plain'] } }),
    says: /does not declare support for PKCE with S256/,
    asked: [PRM, ASM],
  },
  ...['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'about:blank', '-o', '& calc'].map(
    (authorization_endpoint): Case => ({
      does: `lets a browser run ${authorization_endpoint}`,
      lies: () => ({ server: { authorization_endpoint } }),
      says: /^Refused to use the URL .*: (only https URLs are allowed|it is not a URL)/,
      asked: [PRM, ASM],
    }),
  ),
  {
    does: 'publishes metadata of another server',
    lies: () => ({ resource: { resource: 'https://evil.example.com/mcp' } }),
    says: /^Refused to sign in: the metadata at .* describes https:\/\/evil\.example\.com\/mcp, not the configured server/,
    asked: [PRM],
  },
  {
    does: 'publishes metadata for a path beside its own',
    lies: (origin) => ({ resource: { resource: `${origin}/mc` } }),
    says: /not the configured server/,
    asked: [PRM],
  },
  {
    does: 'answers for another issuer',
    lies: () => ({ server: { issuer: 'https://attacker.example.com' } }),
    says: /^Refused to sign in: the metadata at .* was requested for the issuer .* but names https:\/\/attacker\.example\.com\./,
    asked: [PRM, ASM],
  },
  {
    does: 'answers for its issuer with a path more',
    lies: (origin) => ({ server: { issuer: `${origin}//` } }),
    says: /^Refused to sign in: .* was requested for the issuer .* but names /,
    asked: [PRM, ASM],
  },
  ...['token_endpoint', 'revocation_endpoint', 'device_authorization_endpoint', 'userinfo_endpoint'].map(
    (name): Case => ({
      does: `keeps its ${name} at a link-local address`,
      lies: () => ({ server: { [name]: 'https://169.254.169.254/x' } }),
      says: /^Refused to use the URL https:\/\/169\.254\.169\.254\/x: it is a link-local address/,
      asked: [PRM, ASM],
    }),
  ),
];

/** The documents that the origin publishes in this case, by path. */
function pagesOf(origin: string, lies: HostileServer): Record<string, object> {
  return {
    [PRM]: { resource: `${origin}/mcp`, authorization_servers: [origin], ...lies.resource },
    [ASM]: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ['S256'],
      ...lies.server,
    },
  };
}

function discoverAt(origin: string, lies: HostileServer, fetch: GuardedFetch) {
  const header = `Bearer resource_metadata="${lies.resourceMetadata ?? `${origin}${PRM}`}"`;
  return discover(`${origin}/mcp`, { challenge: readChallenge(header), settings: undefined, fetch });
}

describe('a server on the internet that', () => {
  const origin = 'https://mcp.example.com';
  test.each(cases)('$does is rejected, and no other request is sent', async ({ lies, says, asked }) => {
    const pages = Object.entries(pagesOf(origin, lies(origin))).map(([path, page]) => [`${origin}${path}`, page]);
    const { fetch, sent } = scriptedFetch(`${origin}/mcp`, Object.fromEntries(pages));
    await expect(discoverAt(origin, lies(origin), fetch)).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringMatching(says),
    });
    expect(sent).toEqual(asked.map((path) => `GET ${origin}${path}`));
  });
});

describe('a server on this machine that', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections();
  });

  test.each(cases.filter(({ onlyPublic }) => onlyPublic === undefined))(
    '$does is rejected, and no other request is sent',
    async ({ lies, says, asked }) => {
      const seen: string[] = [];
      let pages: Record<string, object> = {};
      const server = createServer((request, response) => {
        seen.push(`${request.method} ${request.url}`);
        const page = pages[request.url ?? ''];
        response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(page));
      }).listen(0, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      pages = pagesOf(origin, lies(origin));
      const fetch = createGuardedFetch({ configuredUrl: `${origin}/mcp`, env: {}, timeoutMs: 30_000 });
      await expect(discoverAt(origin, lies(origin), fetch)).rejects.toMatchObject({
        code: 'DENIED',
        message: expect.stringMatching(says),
      });
      expect(seen).toEqual(asked.map((path) => `GET ${path}`));
    },
  );
});

test('shell syntax reaches a browser as text', async () => {
  const origin = 'https://mcp.example.com';
  const lies = { server: { authorization_endpoint: `${origin}/a?x=$(calc)&y=\`id\`&z="&calc` } };
  const pages = Object.entries(pagesOf(origin, lies)).map(([path, page]) => [`${origin}${path}`, page]);
  const answers = { ...Object.fromEntries(pages), [`${origin}/register`]: { client_id: 'c;reboot' } };
  const { fetch } = scriptedFetch(`${origin}/mcp`, answers);
  const discovery = await discoverAt(origin, lies, fetch);
  if (discovery === undefined) throw new Error('found nothing');
  const shared = { discovery, redirectUri: REDIRECT, scope: 'a|b', configuredUrl: `${origin}/mcp` };
  const client = await obtainClient({
    ...shared,
    settings: undefined,
    stored: undefined,
    metadataUrl: undefined,
    fetch,
  });
  const { url } = await beginAuthorization({ ...shared, client });
  expect(url).toMatch(/^https:\/\/mcp\.example\.com\/a\?[\w.~%&=+*-]+$/);
  expect(new URL(url).searchParams.get('x')).toBe('$(calc)');
});

test('an unavailable server is never treated as one without OAuth', async () => {
  const origin = 'https://mcp.example.com';
  const { fetch } = scriptedFetch(`${origin}/mcp`, { [`${origin}${PRM}`]: [502, 'Bad gateway'] });
  await expect(discoverAt(origin, {}, fetch)).rejects.toMatchObject({
    code: 'CONNECTION_CLOSED',
    message: `Could not determine how to sign in: requested ${PRM} from mcp.example.com, and it returned HTTP status 502. Try again later.`,
  });
});
