// @ts-check
// A whole MCP server without a library: one tool that gives back what it was told, and promises to change nothing.
import { createInterface } from 'node:readline';

const echo = {
  name: 'echo',
  description: 'Gives back the text which it was given.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
};

/** @type {Record<string, (params: any) => unknown>} */
const methods = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo-server', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [echo] }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: `echo: ${params.arguments.text}` }] }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  // Without an id it is a notification, and with no method it is an answer: neither is answered.
  if (message.id === undefined || message.method === undefined) continue;
  const method = methods[message.method];
  const body = method
    ? { result: method(message.params) }
    : { error: { code: -32601, message: `no method ${message.method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n`);
}
