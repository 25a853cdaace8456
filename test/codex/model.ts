import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createEventStream, type EventStream } from './event-stream.ts';
import { decodeRequest, type ModelRequest } from './model-request.ts';
import { nextReply } from './next-reply.ts';
import { BadScript } from './steps.ts';
import { streamReply } from './stream-reply.ts';

/** A model on loopback that runs the script in the prompt. */
export type Model = {
  /** The `base_url` of a model provider. */
  readonly url: string;
  /** The requests from Codex, oldest first. Only the newest are kept. */
  readonly requests: readonly ModelRequest[];
  /** Ends all responses, including hanging ones. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const MAX_REQUESTS = 200;
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Opens the part of the OpenAI Responses API that Codex uses: `POST /v1/responses`, answered as a stream. */
export async function openModel(): Promise<Model> {
  const requests: ModelRequest[] = [];
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const stream = createEventStream(response, AbortSignal.any([closing.signal, gone.signal]));
    answer(request, { stream, requests }).catch((error: unknown) => {
      if (stream.signal.aborted || response.headersSent) response.destroy();
      else stream.refuse(500, { code: 'internal', message: String(error) });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the model endpoint has no port');
  const closed = once(server, 'close');
  const close = async () => {
    closing.abort();
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${address.port}/v1`, requests, close, [Symbol.asyncDispose]: close };
}

async function answer(message: IncomingMessage, to: { stream: EventStream; requests: ModelRequest[] }): Promise<void> {
  const { stream, requests } = to;
  if (message.method !== 'POST' || message.url !== '/v1/responses') {
    return stream.refuse(404, { code: 'not_found', message: `no ${message.method} ${message.url} here` });
  }
  const body = await readBody(message);
  if (body === undefined) return stream.refuse(413, { code: 'too_large', message: 'the request is too large' });
  const request = decodeRequest(parse(body));
  if (request === undefined) return stream.refuse(400, { code: 'bad_request', message: 'not a Responses API request' });
  requests.push(request);
  if (requests.length > MAX_REQUESTS) requests.shift();
  try {
    // Prepare the complete reply before sending the first byte, so that a bad script can still be rejected.
    await streamReply(nextReply(request), stream);
  } catch (error) {
    if (!(error instanceof BadScript)) throw error;
    stream.refuse(400, { code: 'bad_script', message: `bad script: ${error.message}` });
  }
}

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The caller rejects anything that is not a valid request.
    return undefined;
  }
}
