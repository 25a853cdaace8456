// @ts-check
import { connect } from 'node:net';

/**
 * @typedef {object} Response
 * @property {number} status
 * @property {string} head status line and headers
 * @property {string} body
 */

/**
 * Opens one keep-alive connection for one request at a time. `node:http` as a client costs more than the servers that
 * are measured, and would slow them down on a machine with two cores.
 * @param {URL} url
 */
export function openConnection(url) {
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  socket.setEncoding('latin1');
  let received = '';
  /** @type {{ resolve: (response: Response) => void, reject: (error: Error) => void } | undefined} */
  let waiting;
  socket.on('data', (chunk) => {
    received += chunk;
    const response = readResponse(received);
    if (response === undefined) return;
    received = '';
    waiting?.resolve(response);
  });
  socket.on('error', (error) => waiting?.reject(error));
  socket.on('close', () =>
    waiting?.reject(new Error(`The connection was closed. Received: ${received.slice(0, 300)}`)),
  );

  return {
    /** @param {string} head request line and headers, without Host and Content-Length @param {string} body ASCII
     * @returns {Promise<Response>} */
    request: (head, body = '') =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(`${head}\r\nHost: ${url.host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 'latin1');
      }),
    close: () => void socket.destroy(),
  };
}

/**
 * Opens an event stream with GET. Resolves with its first bytes after the headers, and passes on everything later.
 * @param {URL} url @param {string} headers @param {(text: string) => void} [onText]
 * @returns {Promise<{ first: string, close: () => void }>}
 */
export function openEventStream(url, headers, onText) {
  const socket = connect(Number(url.port), url.hostname);
  socket.setEncoding('latin1');
  socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${headers}\r\n\r\n`);
  return new Promise((resolve, reject) => {
    let received = '';
    const onOpening = (/** @type {string} */ chunk) => {
      received += chunk;
      const end = received.indexOf('\r\n\r\n');
      if (end === -1 || received.length === end + 4) return;
      if (!received.startsWith('HTTP/1.1 200')) return reject(new Error(received.slice(0, 300)));
      socket.off('data', onOpening);
      socket.on('data', (text) => onText?.(String(text)));
      resolve({ first: received.slice(end + 4), close: () => void socket.destroy() });
    };
    socket.on('data', onOpening);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`The stream was closed. Received: ${received.slice(0, 300)}`)));
  });
}

/** Returns the response once it is complete. @param {string} text @returns {Response | undefined} */
function readResponse(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  const length = headerOf(head, 'content-length');
  const isComplete = length === undefined ? body.endsWith('0\r\n\r\n') : body.length >= Number(length);
  return isComplete ? { status: Number(head.slice(9, 12)), head, body } : undefined;
}

/** @param {string} head @param {string} name in lower case */
export function headerOf(head, name) {
  return new RegExp(`^${name}: *(.*?)\r?$`, 'im').exec(head)?.[1];
}
