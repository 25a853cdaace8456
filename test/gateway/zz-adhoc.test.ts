import { expect, test } from 'vitest';
import { gatewayHarness } from '/work/main/test/gateway/harness.ts';
import { fixture } from '/work/main/test/fixtures/paths.ts';
const { openGateway } = gatewayHarness();
const base = fixture('well-behaved').args[0];
function server(body: string) {
  const code = `import { serve, echo, text } from '${base.replace('well-behaved','mcp-base')}'; ${body}`;
  return { command: process.execPath, args: ['--input-type=module', '-e', code] };
}
test('closes stdout', async () => {
  const log: string[] = [];
  const { connect, gateway } = openGateway({ one: server(`serve({ outlivesEof:true, tools: { echo, shut: { call() { process.stdout.destroy(); import('node:fs').then(fs=>fs.closeSync(1)); } } } })`) }, {log});
  const client = await connect();
  await client.toolNames();
  const t = performance.now();
  const a = await client.call('one__shut');
  console.log(JSON.stringify(a.error), performance.now()-t, log);
  console.log(JSON.stringify(await client.call('one__echo', {text:'x'})));
}, 20000);
test('closes stdin', async () => {
  const log: string[] = [];
  const { connect, gateway } = openGateway({ one: server(`serve({ outlivesEof:true, tools: { echo, shut: { call() { process.stdin.destroy(); import("node:fs").then(fs=>fs.closeSync(0)).catch(e=>process.stderr.write(String(e))); } } } })`) }, {log});
  const client = await connect();
  await client.toolNames();
  const t = performance.now();
  client.send({jsonrpc:'2.0', id:'s', method:'tools/call', params:{name:'one__shut',arguments:{}}});
  await new Promise(r=>setTimeout(r,100));
  const a = await client.call('one__echo', {text:'y'});
  console.log(JSON.stringify(a), performance.now()-t, log);
  console.log(JSON.stringify(await client.answer('s')));
  console.log(JSON.stringify(await client.call('one__echo', {text:'x'})));
}, 20000);
