// @ts-check
// A complete MCP server without a library. Its one tool is read-only and returns its input.
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
  // A message without an id is a notification, one without a method is a response. Neither gets a response.
  if (message.id === undefined || message.method === undefined) continue;
  const method = methods[message.method];
  const body = method
    ? { result: method(message.params) }
    : { error: { code: -32601, message: `no method ${message.method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n`);
}
