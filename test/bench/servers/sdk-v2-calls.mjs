// @ts-check
// Calls one server with the official client: `sdk-v2-calls.mjs <entry as JSON>`.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { runOrders } from '../host-load.mjs';

const { url } = JSON.parse(process.argv[2] ?? '');
const client = new Client({ name: 'bench', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
// A client with a model always lists the tools first.
await client.listTools();
await runOrders(async (text) => {
  const { content } = await client.callTool({ name: 'echo', arguments: { text } });
  const [first] = content;
  return first?.type === 'text' ? first.text : undefined;
});
await client.close();
