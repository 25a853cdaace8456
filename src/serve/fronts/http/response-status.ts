import type { OutgoingMessage } from '../../../wire/json/splice.ts';

/** Returns the HTTP status of a JSON-RPC response that nothing was sent before. */
export function statusOf(message: OutgoingMessage, era: 'legacy' | 'modern'): number {
  const head = headOf(message);
  // The body never became a request: it is not JSON, or not JSON-RPC.
  if (head.startsWith(ERROR_WITHOUT_ID)) return 400;
  if (era === 'legacy') return 200;
  const [, code] = ERROR_HEAD.exec(head) ?? [];
  return code === undefined ? 200 : (MODERN_STATUS[code] ?? 200);
}

const ERROR_WITHOUT_ID = '{"jsonrpc":"2.0","id":null,"error":';
const ERROR_HEAD = /^\{"jsonrpc":"2\.0","id":(?:-?\d[\d.eE+-]*|"(?:[^"\\]|\\.)*"),"error":\{"code":(-?\d+)/;

/**
 * Statuses that the specification fixes for a JSON-RPC code. All other errors are answers like any other.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
const MODERN_STATUS: Readonly<Record<string, number>> = { '-32601': 404, '-32020': 400, '-32021': 400, '-32022': 400 };

/** Errors are short. Only their beginning is needed, however they are split into pieces. */
function headOf(message: OutgoingMessage): string {
  if (typeof message === 'string') return message;
  let head = '';
  for (const piece of message.pieces) {
    if (head.length >= MAX_HEAD_CHARS) break;
    head += typeof piece === 'string' ? piece : piece.toString('utf8', 0, MAX_HEAD_CHARS);
  }
  return head;
}

const MAX_HEAD_CHARS = 256;
