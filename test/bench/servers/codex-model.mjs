// @ts-check
// A model on loopback, in a separate process so that its CPU time is not counted. Prints its
// address. Replies with one word or, to a prompt with [[flood <words per second> <seconds>]], with many.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const BATCH_MS = 10;
const MESSAGE = { type: 'message', role: 'assistant', id: 'msg_1' };
const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the model has no port');
  process.stdout.write(`http://127.0.0.1:${address.port}/v1\n`);
});
// Exits when stdin closes, so that it never outlives the process that started it.
process.stdin.resume().on('end', () => process.exit());

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function answer(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.method !== 'POST' || request.url !== '/v1/responses') return response.writeHead(404).end();
  const [, perSecond, seconds] = /\[\[flood (\d+) (\d+)\]\]/.exec(Buffer.concat(chunks).toString('utf8')) ?? [];
  const pieces = Number(perSecond ?? 1) * Number(seconds ?? 1);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(event('response.created', { response: { id: 'resp_1' } }));
  response.write(event('response.output_item.added', { item: { ...MESSAGE, content: [] } }));
  await sendPieces(response, pieces, Number(perSecond ?? 1));
  const content = [{ type: 'output_text', text: 'word '.repeat(pieces) }];
  response.write(event('response.output_item.done', { item: { ...MESSAGE, content } }));
  response.end(event('response.completed', { response: { id: 'resp_1', usage: USAGE } }));
}

/** Sends a single word immediately. @param {import('node:http').ServerResponse} response
 * @param {number} pieces @param {number} perSecond */
async function sendPieces(response, pieces, perSecond) {
  const piece = event('response.output_text.delta', { item_id: MESSAGE.id, content_index: 0, delta: 'word ' });
  const begin = performance.now();
  for (let sent = 0; sent < pieces; ) {
    const due = Math.min(pieces, 1 + Math.floor(((performance.now() - begin) / 1000) * perSecond));
    if (due > sent && !response.write(piece.repeat(due - sent))) await once(response, 'drain');
    sent = due;
    if (sent < pieces) await delay(BATCH_MS);
  }
}

/** @param {string} type @param {object} payload */
function event(type, payload) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...payload })}\n\n`;
}
