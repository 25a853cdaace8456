import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect } from 'vitest';
import type { HttpSettings } from '../../src/config/server-entry.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import {
  type HttpFixture,
  type HttpFixtureName,
  openHttpFixture,
  type ReceivedRequest,
} from '../fixtures/http/paths.ts';
import {
  type GatewayHarness,
  type GatewayTestOptions,
  gatewayHarness,
  type Message,
  type TestGateway,
  type TestServer,
} from '../gateway/harness.ts';

export interface HttpHarness extends Pick<GatewayHarness, 'processes' | 'openGateway'> {
  /** Starts a fixture of `test/fixtures/http`. It stops with the test. */
  openFixture(name: HttpFixtureName, ...options: string[]): Promise<HttpFixture>;
  /** Restarts a fixture at its previous address. */
  reopenFixture(name: HttpFixtureName, before: HttpFixture, ...options: string[]): Promise<HttpFixture>;
  /** A server in this process that does exactly what the test says. */
  openServer(handle: Handle, handleEarly?: HandleEarly): Promise<ScriptedServer>;
}

interface ScriptedServer {
  readonly url: string;
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
}

export type Handle = (came: ReceivedRequest & { readonly message: Message }, response: ServerResponse) => unknown;

/** Handles a request whose body is not read yet. Returns true if it needs no body. */
type HandleEarly = (request: IncomingMessage) => boolean;

/** Gateways in this process with HTTP servers. All are closed when their test ends. */
export function httpHarness(): HttpHarness {
  const harness = gatewayHarness();
  const gateways: Gateway[] = [];
  const closers: (() => unknown)[] = [];
  // Close gateways first, so that they can end their sessions.
  afterEach(async () => {
    await Promise.all(gateways.splice(0).map((gateway) => gateway.close()));
    await Promise.all(closers.splice(0).map((close) => close()));
  });
  const openFixture = async (name: HttpFixtureName, ...options: string[]) => {
    const fixture = await openHttpFixture(name, { options, env: harness.processes.env() });
    closers.push(() => fixture.close());
    return fixture;
  };
  return {
    processes: harness.processes,
    openGateway(servers: Readonly<Record<string, TestServer>>, options?: GatewayTestOptions): TestGateway {
      const opened = harness.openGateway(servers, options);
      gateways.push(opened.gateway);
      return opened;
    },
    openFixture,
    reopenFixture: (name, { url }, ...options) => openFixture(name, '--port', new URL(url).port, ...options),
    async openServer(handle, handleEarly) {
      const { server, ...scripted } = await openScripted(handle, handleEarly);
      closers.push(() => {
        server.closeAllConnections();
        server.close();
      });
      return scripted;
    },
  };
}

/** Returns a config entry for an HTTP server. */
export function at(
  url: string,
  {
    headers = {},
    headerEnv = {},
    bearerTokenEnv,
    isSse = false,
    oauth,
    ...rest
  }: Partial<HttpSettings & TestServer> = {},
): TestServer {
  const transport: HttpSettings = { kind: 'http', url, headers, headerEnv, bearerTokenEnv, isSse, oauth };
  return { command: '', ...rest, transport };
}

/** The text of a tool's answer. */
export function textOf({ result, error }: Message): string {
  if (error !== undefined) expect.fail(`${error.code} ${error.message}`);
  return String(result.content[0].text);
}

/** Returns the requests whose body is a message of this method. */
export function ofMethod(requests: readonly ReceivedRequest[], method: string): readonly ReceivedRequest[] {
  return requests.filter(({ body }) => body !== '' && toMessage(body).method === method);
}

/** Returns the JSON-RPC method of each received message, or the HTTP method if the body is not a message. */
export function methodsOf(requests: readonly ReceivedRequest[]): readonly string[] {
  return requests.map(({ method, body }) => (body === '' ? method : String(toMessage(body).method ?? 'answer')));
}

export function headersOf(requests: readonly ReceivedRequest[], name: string): readonly (string | undefined)[] {
  return requests.map(({ headers }) => headers[name] as string | undefined);
}

export function sendJson(response: ServerResponse, value: unknown, { status = 200, headers = {} } = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** Responds like a legacy server without sessions, except to calls. Returns true if it responded. */
export function answerBasics({ method: verb, message }: Parameters<Handle>[0], response: ServerResponse): boolean {
  const answer = (result: unknown) => {
    sendJson(response, { jsonrpc: '2.0', id: message.id, result });
    return true;
  };
  if (verb !== 'POST') return response.writeHead(405).end() !== undefined;
  if (message.method === undefined || message.id === undefined) return response.writeHead(202).end() !== undefined;
  if (message.method === 'initialize')
    return answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'scripted' } });
  if (message.method === 'tools/list') return answer({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  if (message.method === 'tools/call') return false;
  sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request' } }, { status: 400 });
  return true;
}

async function openScripted(handle: Handle, handleEarly: HandleEarly = () => false) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    response.on('error', () => {});
    if (handleEarly(request)) return;
    void readBody(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const came = { method, path: url, headers: headers as IncomingHttpHeaders, body };
      requests.push(came);
      return handle({ ...came, message: body === '' ? {} : toMessage(body) }, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, origin, url: `${origin}/mcp`, requests };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The client aborted the request. Use the body received so far.
  }
  return Buffer.concat(chunks).toString();
}

function toMessage(body: string): Message {
  try {
    return JSON.parse(body) as Message;
  } catch {
    // A form, or a truncated body.
    return {};
  }
}
