// @ts-check
// Calls one server with the raw client: `raw-calls.mjs <entry as JSON>`.
import { spawn } from 'node:child_process';
import { connect } from '../client.mjs';
import { runOrders } from '../host-load.mjs';
import { finish } from '../process.mjs';

const { command, args } = JSON.parse(process.argv[2] ?? '');
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
const client = connect(server);
await client.initialize();
await runOrders(async (text) => {
  const { result } = await client.request('tools/call', { name: 'echo', arguments: { text } });
  return result?.content?.[0]?.text;
});
await finish(server);
