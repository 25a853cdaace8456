#!/usr/bin/env node
// @ts-check
// The server of the transport contract: the same tools over each protocol. --over stdio | stdio-modern | json |
// events | stateless | modern | legacy-sse. Over HTTP:
//   the printed URL has a separate control server, whose /_sockets returns the number of open connections
import { createInterface } from 'node:readline';
import { listen, openServer, option, refuse, sendNothing, startEvents, toObject } from '../fixtures/http/http-base.mjs';
import { limitLifetime } from '../fixtures/mcp-base.mjs';

/** @typedef {import('../fixtures/http/http-base.mjs').Json} Json */
/** @typedef {import('../fixtures/http/http-base.mjs').Exchange} Exchange */
/** @typedef {import('node:http').ServerResponse} Response */

/**
 * Where the messages of one request are sent. `answer` takes the result as JSON text and ends the request.
 * @typedef {object} Saying
 * @property {(message: Json) => void} say
 * @property {(result: string) => void} answer
 * @property {(question: Json, params: Json) => Promise<unknown>} ask
 */

const over = option('over', 'stdio');
const ODD =
  '{"content":[],"structuredContent":{"big":9007199254740993,"float":1.0,"huge":1e400,"twice":1,"twice":2,' +
  '"__proto__":{"polluted":true},"escaped":"\\u0041\\/", "spaced" : [ ] }}';
const QUESTION = { method: 'elicitation/create', params: { message: 'Who are you?' } };

const DISCOVERED = JSON.stringify({
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true } },
});

/** @type {unknown[]} */
const cancelled = [];
/** @type {Map<unknown, () => void>} */
const running = new Map();
/** @type {Map<unknown, (message: Json) => void>} */
const asked = new Map();
/** Sends a message to every listener. @type {(message: Json) => void} */
let announce = () => {};

/** @param {string} raw @param {Json} message @param {Saying} saying */
async function handle(raw, message, { say, answer, ask }) {
  const params = toObject(message['params']);
  const args = toObject(params['arguments']);
  const text = (/** @type {unknown} */ value) => answer(JSON.stringify({ content: [{ type: 'text', text: value }] }));
  if (message['method'] === 'initialize') {
    const protocolVersion = over === 'legacy-sse' ? '2024-11-05' : '2025-11-25';
    return answer(
      JSON.stringify({
        protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'contract' },
      }),
    );
  }
  switch (params['name']) {
    case 'echo':
      return text(args['text']);
    case 'raw':
      return text(Buffer.from(raw).toString('base64'));
    case 'odd':
      return answer(ODD);
    case 'big':
      return text('x'.repeat(Number(args['bytes'])));
    case 'later':
      return void setTimeout(() => text(args['text']), Number(args['ms']));
    case 'progress': {
      const { progressToken } = toObject(params['_meta']);
      for (const progress of [1, 2, 3])
        say({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress } });
      return text('done');
    }
    case 'shout':
      announce({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return text('shouted');
    case 'ask':
      return text(JSON.stringify(await ask(QUESTION, params)));
    case 'hang':
      return void running.set(message['id'], () => setTimeout(() => text('late'), 20));
    case 'cancelled':
      return text(JSON.stringify(cancelled));
  }
  return say({ jsonrpc: '2.0', id: message['id'], error: { code: -32601, message: 'Method not found' } });
}

/** @param {unknown} id */
function cancel(id) {
  if (!running.has(id)) return;
  cancelled.push(id);
  running.get(id)?.();
  running.delete(id);
}

/** Handles messages that are not requests. @param {Json} message */
function note(message) {
  if (message['method'] === 'notifications/cancelled') cancel(toObject(message['params'])['requestId']);
  if (message['method'] === undefined) asked.get(message['id'])?.(message);
}

/** @param {(message: Json) => void} say @returns {Saying['ask']} */
function askWith(say) {
  return (question) =>
    new Promise((resolve) => {
      const id = `ask-${asked.size}`;
      asked.set(id, ({ result, error }) => resolve(result ?? { error }));
      say({ jsonrpc: '2.0', id, ...question });
    });
}

function serveStdio() {
  limitLifetime(120_000);
  const say = (/** @type {Json | string} */ message) =>
    void process.stdout.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  announce = say;
  const serve = over === 'stdio-modern' ? handleModern(say) : handle;
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const message = JSON.parse(line);
      if (message.id === undefined || message.method === undefined) return note(message);
      const id = JSON.stringify(message.id);
      const answer = (/** @type {string} */ result) => say(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      void serve(line, message, { say, answer, ask: askWith(say) });
    })
    .on('close', () => process.exit(0));
}

/** Handles requests that only the modern era has, and refuses `initialize`. @param {(message: Json) => void} say */
function handleModern(say) {
  /** @type {unknown} */
  let listenId;
  announce = (message) => {
    const _meta = { 'io.modelcontextprotocol/subscriptionId': listenId };
    if (listenId !== undefined) say({ ...message, params: { _meta } });
  };
  return (/** @type {string} */ raw, /** @type {Json} */ message, /** @type {Saying} */ saying) => {
    switch (message['method']) {
      case 'initialize': {
        const error = { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } };
        return say({ jsonrpc: '2.0', id: message['id'], error });
      }
      case 'server/discover':
        return saying.answer(DISCOVERED);
      case 'subscriptions/listen':
        listenId = message['id'];
        return announce({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' });
    }
    return handle(raw, message, { ...saying, ask: askModern(saying.answer) });
  };
}

/** @param {Exchange} exchange */
function servePost({ request, response, body, message = {} }) {
  const hello = message['method'] === 'initialize';
  const isModern = over === 'modern';
  if (request.method === 'GET') return serveGet(response);
  if (request.method === 'DELETE') return sendNothing(response, 200);
  if (!isModern && message['method'] === 'server/discover')
    return refuse(response, 400, undefined, -32000, 'Bad Request: no session');
  if (isModern && hello) return refuse(response, 400, message, -32022, 'Unsupported', { supported: ['2026-07-28'] });
  if (message['id'] === undefined || message['method'] === undefined) {
    note(message);
    return sendNothing(response, 202);
  }
  const headers = hello && over !== 'stateless' ? { 'mcp-session-id': 'one' } : {};
  const say = (/** @type {Json | string} */ reply) => {
    if (!response.headersSent) startEvents(response, headers);
    response.write(`data: ${typeof reply === 'string' ? reply : JSON.stringify(reply)}\n\n`);
  };
  const answer = (/** @type {string} */ result) => {
    const whole = `{"jsonrpc":"2.0","id":${JSON.stringify(message['id'])},"result":${result}}`;
    if (response.headersSent || over === 'events') say(whole);
    else response.writeHead(200, { 'content-type': 'application/json', ...headers }).write(whole);
    response.end();
  };
  if (isModern && message['method'] === 'server/discover') return answer(DISCOVERED);
  if (isModern && message['method'] === 'subscriptions/listen') return serveGet(response);
  // In this era, a client cancels a call by closing the connection.
  if (isModern) response.on('close', () => response.writableFinished || cancel(message['id']));
  const ask = isModern ? askModern(answer) : askWith(say);
  return handle(body, message, { say, answer, ask });
}

/** @param {Saying['answer']} answer @returns {Saying['ask']} */
function askModern(answer) {
  return (question, params) => {
    const responses = toObject(params['inputResponses']);
    if (params['requestState'] === 'kept') return Promise.resolve(responses['who']);
    answer(JSON.stringify({ resultType: 'input_required', inputRequests: { who: question }, requestState: 'kept' }));
    return new Promise(() => {});
  };
}

/** @type {Set<Response>} */
const streams = new Set();

/** @param {Response} response */
function serveGet(response) {
  startEvents(response);
  response.write(': welcome\n\n');
  streams.add(response);
  response.on('close', () => streams.delete(response));
}

/** @param {Exchange} exchange */
function serveTwoAddresses({ request, response, path, body, message = {} }) {
  if (request.method === 'GET') {
    serveGet(response);
    return response.write('event: endpoint\ndata: /post\n\n');
  }
  if (path !== '/post') return sendNothing(response, 405);
  sendNothing(response, 202);
  const say = (/** @type {Json | string} */ reply) => {
    for (const stream of streams)
      stream.write(`event: message\ndata: ${typeof reply === 'string' ? reply : JSON.stringify(reply)}\n\n`);
  };
  if (message['id'] === undefined || message['method'] === undefined) return note(message);
  const answer = (/** @type {string} */ result) => say(`{"jsonrpc":"2.0","id":${message['id']},"result":${result}}`);
  return handle(body, message, { say, answer, ask: askWith(say) });
}

async function serveHttp() {
  announce = (message) => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify(message)}\n\n`);
  };
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const carry = over === 'legacy-sse' ? serveTwoAddresses : servePost;
  // The control server is separate, so that its connections are not counted.
  const door = await openServer({ handle() {}, routes: { '/_sockets': () => sockets.size } });
  await listen({
    path: `/mcp?door=${encodeURIComponent(door.origin)}`,
    handle(exchange) {
      const { socket } = exchange.request;
      if (!sockets.has(socket)) socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      sockets.add(socket);
      return carry(exchange);
    },
  });
}

if (over.startsWith('stdio')) serveStdio();
else await serveHttp();
