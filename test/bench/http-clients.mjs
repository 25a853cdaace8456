// @ts-check
import { headerOf, openConnection, openEventStream } from './http-connection.mjs';

/**
 * A client of an HTTP front. Each has one connection for its calls, so it makes one call at a time.
 * @typedef {object} HttpCaller
 * @property {(tool: string, text: string) => Promise<void>} call checks the response
 * @property {() => void} close
 */

/** Where a front listens, and the headers that it wants with each request.
 * @typedef {{ url: string, headers?: string }} Address */

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};
/** The headers that all clients send. */
const JSON_HEADERS =
  'User-Agent: bench\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream';

/** Opens a legacy session. @param {Address} address */
export async function openSession({ url: text, headers = '' }) {
  const url = new URL(text);
  const connection = openConnection(url);
  const head = `POST ${url.pathname} HTTP/1.1\r\n${JSON_HEADERS}${headers}`;
  const opened = await connection.request(head, request(0, 'initialize', INITIALIZE));
  const id = headerOf(opened.head, 'mcp-session-id');
  if (id === undefined) throw new Error(`no session: ${opened.head}\n${opened.body}`);
  const sessionHeaders = `${headers}\r\nMcp-Session-Id: ${id}\r\nMCP-Protocol-Version: ${INITIALIZE.protocolVersion}`;
  const session = sessionCaller(connection, `POST ${url.pathname} HTTP/1.1\r\n${JSON_HEADERS}${sessionHeaders}`);
  await session.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  return {
    call: session.call,
    close: connection.close,
    /** The headers with which any connection can use this session. */
    sessionHeaders,
    /** Opens the GET stream of the session. */
    listen: () => openEventStream(url, `Accept: text/event-stream${sessionHeaders}`),
  };
}

/** Uses a session on a connection of its own. @param {Address} address @param {() => string} sessionHeaders */
export function useSessions({ url: text }, sessionHeaders) {
  const url = new URL(text);
  const connection = openConnection(url);
  const head = () => `POST ${url.pathname} HTTP/1.1\r\n${JSON_HEADERS}${sessionHeaders()}`;
  return {
    call: (/** @type {string} */ tool, /** @type {string} */ sent) =>
      sessionCaller(connection, head()).call(tool, sent),
    close: connection.close,
  };
}

let lastId = 0;

/** @param {ReturnType<typeof openConnection>} connection @param {string} head */
function sessionCaller(connection, head) {
  return {
    post: (/** @type {string} */ body) => connection.request(head, body),
    async call(/** @type {string} */ tool, /** @type {string} */ text) {
      const id = ++lastId;
      const params = { name: tool, arguments: { text } };
      check(await connection.request(head, request(id, 'tools/call', params)), id, text);
    },
  };
}

/** Opens a client of MCP 2026-07-28, which has no session. @param {Address} address */
export function openModernClient({ url: text, headers = '' }) {
  const url = new URL(text);
  const connection = openConnection(url);
  const head = `POST ${url.pathname} HTTP/1.1\r\n${JSON_HEADERS}${headers}\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call`;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  };
  return {
    async call(/** @type {string} */ tool, /** @type {string} */ sent) {
      const id = ++lastId;
      const params = { name: tool, arguments: { text: sent }, _meta };
      check(await connection.request(`${head}\r\nMcp-Name: ${tool}`, request(id, 'tools/call', params)), id, sent);
    },
    close: connection.close,
  };
}

/**
 * Opens a client of the HTTP+SSE transport of 2024: it gets its responses on one stream, which names the address for its
 * requests. @param {Address} address
 */
export async function openSseClient({ url }) {
  /** @type {((text: string) => void)[]} */
  const waiting = [];
  let received = '';
  const stream = await openEventStream(new URL(url), 'Accept: text/event-stream', (text) => {
    received += text;
    if (!received.endsWith('\n\n\r\n')) return;
    waiting.shift()?.(received);
    received = '';
  });
  const endpoint = new URL(/data: (\S+)/.exec(stream.first)?.[1] ?? '', url);
  const connection = openConnection(endpoint);
  const head = `POST ${endpoint.pathname}${endpoint.search} HTTP/1.1\r\n${JSON_HEADERS}`;
  const ask = async (/** @type {string} */ body) => {
    /** @type {Promise<string>} */
    const event = new Promise((resolve) => waiting.push(resolve));
    const { status } = await connection.request(head, body);
    if (status >= 300) throw new Error(`status ${status}`);
    return event;
  };
  await ask(request(0, 'initialize', { ...INITIALIZE, protocolVersion: '2024-11-05' }));
  await connection.request(head, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  return {
    async call(/** @type {string} */ tool, /** @type {string} */ text) {
      const id = ++lastId;
      const params = { name: tool, arguments: { text } };
      check({ status: 200, head: '', body: await ask(request(id, 'tools/call', params)) }, id, text);
    },
    close() {
      stream.close();
      connection.close();
    },
  };
}

/** @param {number} id @param {string} method @param {unknown} params */
function request(id, method, params) {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** @param {import('./http-connection.mjs').Response} response @param {number} id @param {string} text */
function check({ status, head, body }, id, text) {
  if (status === 200 && body.includes(`"id":${id}`) && body.includes(`"text":"${text}"`)) return;
  throw new Error(`wrong answer to ${id}: ${head}\n${body.slice(0, 300)}`);
}
