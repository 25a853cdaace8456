import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AuthorizationServer, KnownToken } from './authorization-server.ts';

/**
 * A real MCP server over Streamable HTTP (2025-11-25, without sessions). It requires a token of the given authorization
 * server for this URL. Tools: `echo {text}`, `whoami` (the account of the token), `needs-scope` (mcp:write).
 *
 * @example
 * const server = await openProtectedServer({ authorizationServer });
 * await connect(server.url);
 */
export async function openProtectedServer(options: ProtectedServerOptions = {}): Promise<ProtectedServer> {
  const http = createServer((request, response) => void answer(request, response));
  http.listen(options.port ?? 0, '127.0.0.1');
  await once(http, 'listening');
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const metadataUrl = `${origin}${METADATA}/mcp`;
  const seen: SeenRequest[] = [];
  let authorizationServer = options.authorizationServer;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = await text(request);
    seen.push({ method: request.method ?? '', path, authorization: request.headers.authorization, body });
    if (path.startsWith(METADATA)) return answerMetadata(path, response);
    const isMoved = options.hasSlash === true && path === '/mcp';
    if (isMoved) return void response.writeHead(307, { location: '/mcp/' }).end();
    if (path !== '/mcp' && !(options.hasSlash === true && path === '/mcp/')) return void response.writeHead(404).end();
    const isOpen = options.isOpen === true && request.headers.authorization === undefined && isPublic(body);
    const token = isOpen ? ANONYMOUS : await tokenOf(request);
    if (token === undefined || isRefusedCall(body))
      return refuse(response, request.headers.authorization !== undefined);
    if (request.method !== 'POST') return void response.writeHead(405, { allow: 'POST' }).end();
    answerMessage({ message: toMessage(body), token, authorization: request.headers.authorization }, response);
  }

  function answerMetadata(path: string, response: ServerResponse): void {
    if (authorizationServer === undefined || path !== `${METADATA}/mcp`) return void response.writeHead(404).end();
    writeJson(response, {
      resource: options.resource ?? url,
      authorization_servers: [`${authorizationServer.issuer}${options.issuerSuffix ?? ''}`],
      ...(options.scopesSupported === undefined ? {} : { scopes_supported: options.scopesSupported }),
    });
  }

  function isRefusedCall(body: string): boolean {
    return options.refusesTool !== undefined && body !== '' && toMessage(body).params?.name === options.refusesTool;
  }

  async function tokenOf(request: IncomingMessage): Promise<KnownToken | undefined> {
    const value = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    if (value === undefined || options.takesNothing === true) return undefined;
    if (options.apiKeyOnly !== undefined) return value === options.apiKeyOnly ? API_KEY : undefined;
    const token = await authorizationServer?.findToken(value);
    return token?.audience === (options.resource ?? url) ? token : undefined;
  }

  function refuse(response: ServerResponse, hadToken: boolean): void {
    if (options.apiKeyOnly !== undefined) return void response.writeHead(401).end('API key missing or wrong');
    const parts = hadToken ? ['error="invalid_token"'] : [];
    if (options.challenge !== 'without-metadata') parts.push(`resource_metadata="${metadataUrl}"`);
    if (options.challengeScope !== undefined) parts.push(`scope="${options.challengeScope}"`);
    response.writeHead(401, { 'www-authenticate': `Bearer ${parts.join(', ')}`.trim() }).end();
  }

  function answerMessage({ message, token, authorization }: Admitted, response: ServerResponse): void {
    if (message.id === undefined) return void response.writeHead(202).end();
    const isNeeded = options.needsScopeForAll === true || message.params?.name === 'needs-scope';
    if (isNeeded && !token.scopes.includes('mcp:write')) {
      const scope = options.namesNoScope === true ? '' : ', scope="mcp:write"';
      const challenge = `Bearer error="insufficient_scope"${scope}, resource_metadata="${metadataUrl}"`;
      return void response.writeHead(options.scopeStatus ?? 403, { 'www-authenticate': challenge }).end();
    }
    const isRepeated = options.repeatsTokens === true && message.params?.name === 'whoami';
    const outcome = isRepeated ? repeated(authorization) : outcomeOf(message, token);
    const reply = { jsonrpc: '2.0', id: message.id, ...outcome };
    if (options.answer !== 'sse') return void writeJson(response, reply);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`event: message\ndata: ${JSON.stringify(reply)}\n\n`);
  }

  return {
    url,
    seen,
    moveTo: (other) => {
      authorizationServer = other;
    },
    async close() {
      http.closeAllConnections();
      if (http.listening) await new Promise((done) => http.close(done));
    },
  };
}

export interface ProtectedServerOptions {
  /** Redirects its URL to the same URL with a trailing slash, as many frameworks do. */
  readonly hasSlash?: boolean;
  /** The authorization server in its metadata, whose tokens it accepts. To expire or revoke them: `authorizationServer.forgetAccessTokens()`. */
  readonly authorizationServer?: AuthorizationServer;
  /** Accepts only this key as a bearer token. Answers 401 without a challenge, and has no metadata. */
  readonly apiKeyOnly?: string;
  /** Rejects every token, like a server whose clock is wrong. */
  readonly takesNothing?: boolean;
  /** Every request requires the scope mcp:write, like `needs-scope`. */
  readonly needsScopeForAll?: boolean;
  /** Status of `insufficient_scope` responses. Default: 403, as in the specification. */
  readonly scopeStatus?: 401 | 403;
  /** Answers 401 to every call of this tool. */
  readonly refusesTool?: string;
  /** Omits the missing scope from `insufficient_scope` responses. */
  readonly namesNoScope?: boolean;
  /** Requests without a token may do everything except call tools other than `echo`. A token must be valid. */
  readonly isOpen?: boolean;
  /** Appended to the issuer in its metadata. */
  readonly issuerSuffix?: string;
  /** Answers `whoami` with an error that contains the received token. */
  readonly repeatsTokens?: boolean;
  /** Format of responses: a JSON document (default) or an event stream. */
  readonly answer?: 'json' | 'sse';
  /** `scope` of the 401 challenge. Default: none. */
  readonly challengeScope?: string;
  /** `without-metadata`: the 401 names no metadata URL. The metadata is only at the well-known URL. */
  readonly challenge?: 'full' | 'without-metadata';
  /** `scopes_supported` of its metadata. Default: omitted. */
  readonly scopesSupported?: readonly string[];
  /** `resource` of its metadata, and the audience that it requires. Default: its URL. */
  readonly resource?: string;
  /** Fixed port, to restart at the same address. Default: any free port. */
  readonly port?: number;
}

export interface ProtectedServer {
  /** The MCP endpoint. */
  readonly url: string;
  /** Every request that arrived, in order. */
  readonly seen: readonly SeenRequest[];
  /** Switches to another authorization server. */
  moveTo(authorizationServer: AuthorizationServer): void;
  close(): Promise<void>;
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

interface Admitted {
  readonly message: Message;
  readonly token: KnownToken;
  readonly authorization: string | undefined;
}

interface Message {
  readonly id?: string | number;
  readonly method: string;
  readonly params?: {
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
  };
}

const METADATA = '/.well-known/oauth-protected-resource';
const API_KEY: KnownToken = { account: 'api-key', clientId: '', audience: undefined, scopes: [] };
const ANONYMOUS: KnownToken = { ...API_KEY, account: 'nobody' };
const NO_ARGUMENTS = { type: 'object', properties: {} };
const TOOLS = [
  {
    name: 'echo',
    description: 'Says it back.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
  { name: 'whoami', description: 'Whose token this is.', inputSchema: NO_ARGUMENTS },
  { name: 'needs-scope', description: 'Wants the scope mcp:write.', inputSchema: NO_ARGUMENTS },
];

function toMessage(body: string): Message {
  return JSON.parse(body);
}

function isPublic(body: string): boolean {
  if (body === '') return true;
  const { method, params } = toMessage(body);
  return method !== 'tools/call' || params?.name === 'echo';
}

function outcomeOf({ method, params }: Message, token: KnownToken): object {
  if (method === 'initialize') {
    const protocolVersion = params?.protocolVersion ?? '2025-11-25';
    return {
      result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'protected', version: '1' } },
    };
  }
  if (method === 'ping') return { result: {} };
  if (method === 'tools/list') return { result: { tools: TOOLS } };
  if (method !== 'tools/call') return { error: { code: -32601, message: `Unknown method: ${method}` } };
  if (params?.name === 'echo') return textResult(String(params.arguments?.['text'] ?? ''));
  if (params?.name === 'whoami') return textResult(token.account);
  if (params?.name === 'needs-scope') return textResult('written');
  return { error: { code: -32602, message: `Unknown tool: ${params?.name}` } };
}

/** The error of a careless server, which reveals the token. */
function repeated(authorization = ''): object {
  const encoded = Buffer.from(authorization).toString('base64');
  return {
    error: { code: -32000, message: `Refused: ${authorization}`, data: { headers: { authorization }, encoded } },
  };
}

function textResult(text: string): object {
  return { result: { content: [{ type: 'text', text }] } };
}

function writeJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
