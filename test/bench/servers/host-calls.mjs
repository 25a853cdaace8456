// @ts-check
// Calls one server through the host, allowed by a rule: `host-calls.mjs <entry as JSON>`.
import { createHost } from '../../../dist/host/index.js';
import { runOrders } from '../host-load.mjs';

const host = await createHost({
  config: { mcpServers: { s1: JSON.parse(process.argv[2] ?? '') } },
  permissions: { rules: [{ server: 's1', decide: 'allow' }] },
});
const echo = (await host.tools()).find(({ origin }) => origin?.tool === 'echo');
if (echo === undefined) throw new Error(`there is no echo: ${JSON.stringify(host.list())}`);
await runOrders(async (text) => {
  const { is_error, text: answer } = await echo.run({ text });
  return is_error ? undefined : answer;
});
await host.close();
