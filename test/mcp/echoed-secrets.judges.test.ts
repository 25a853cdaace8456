import { afterEach, expect, test, vi } from 'vitest';
import { createHost } from '../../src/host/index.ts';
import { answerTo, call, initialized, initializeRequest, list, run as runBinary } from '../gateway/run-cli.ts';
import { answerBasics, type Handle, httpHarness, sendJson } from '../http/harness.ts';
import { useGateways } from './matrix-gateway.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';

// Each of them runs more than a dozen commands in sequence.
vi.setConfig({ testTimeout: 300_000 });

const { processes, openServer } = httpHarness();
const newTestbed = useTestbeds(processes);
const openGateway = useGateways(processes);
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const TOKEN = 'q7/Zt+pw9:Lm"4~vKx2&hN';
const HEADER = `Bearer ${TOKEN}`;

/** Everything that a careless server may reveal about the header that it received. */
const FORMS: Readonly<Record<string, string>> = {
  plain: TOKEN,
  json: JSON.stringify(TOKEN).slice(1, -1),
  jsonInJson: JSON.stringify(JSON.stringify(TOKEN).slice(1, -1)).slice(1, -1),
  unicode: [...TOKEN].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  base64: Buffer.from(TOKEN).toString('base64'),
  base64Url: Buffer.from(TOKEN).toString('base64url'),
  base64OfHeader: Buffer.from(HEADER).toString('base64'),
  url: encodeURIComponent(TOKEN),
  lowerUrl: encodeURIComponent(TOKEN).replace(/%../g, (written) => written.toLowerCase()),
  cut: TOKEN.slice(0, 14),
  html: TOKEN.replace(/["&]/g, (char) => `&#${char.charCodeAt(0)};`),
  capitals: TOKEN.toUpperCase(),
};
const ECHO = `bad header ${Object.values(FORMS).join(' , ')}`;

/** A part that only the secret contains, in each form. */
const isShown = (text: string) =>
  Object.entries(FORMS).flatMap(([name, form]) => (text.includes(form.slice(0, 12)) ? [name] : []));

type Fault = 'http' | 'initialize' | 'list' | 'call';

const echoing =
  (fault: Fault): Handle =>
  (came, response) => {
    const { message } = came;
    const error = {
      code: -32000,
      message: ECHO,
      data: { headers: { authorization: came.headers.authorization }, ECHO },
    };
    if (fault === 'http') return response.writeHead(400, { 'content-type': 'text/plain' }).end(ECHO);
    const at = { initialize: 'initialize', list: 'tools/list', call: 'tools/call' }[fault];
    if (message.method === at) return sendJson(response, { jsonrpc: '2.0', id: message.id, error });
    if (!answerBasics(came, response)) sendJson(response, { jsonrpc: '2.0', id: message.id, error });
  };

/** The output of every command and every interface of a gateway about the server `s`. */
async function collectAllOutput(testbed: Testbed): Promise<Readonly<Record<string, string>>> {
  const outputs: Record<string, string> = {};
  const say = async (name: string, args: readonly string[]) => {
    const { stdout, stderr } = await testbed.run(args, { env: { DEBUG: '1' } });
    outputs[name] = stdout + stderr;
  };
  await say('test', ['mcp', 'test', 's', '--verbose']);
  await say('test --json', ['mcp', 'test', 's', '--json']);
  await say('tools', ['mcp', 'tools', 's']);
  await say('call', ['mcp', 'call', 's.echo', '--verbose']);
  await say('call --json', ['mcp', 'call', 's.echo', '--json']);
  await say('check', ['gateway', '--check']);
  await say('check --json', ['gateway', '--check', '--json']);
  await say('explain', ['gateway', '--explain', 's']);
  await say('explain --json', ['gateway', '--explain', 's', '--json']);
  const status = { jsonrpc: '2.0', id: 'status', method: 'resources/read', params: { uri: 'switchboard://status' } };
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), DEBUG: '1' });
  const served = await runBinary(['gateway'], {
    env,
    cwd: testbed.path('project'),
    say: [initializeRequest(), initialized, list, call('s__echo'), status],
  });
  outputs['gateway'] = served.stdout + served.stderr;
  expect(answerTo(served, 'call').error).toBeDefined();
  await openGateway(testbed);
  await say('call through the gateway', ['mcp', 'call', 's.echo', '--json']);
  await say('status', ['mcp', 'status', 's', '--json']);
  const host = await createHost({
    config: testbed.path('own/config.json'),
    cwd: testbed.path('project'),
    env,
    permissions: { rules: [{ decide: 'allow' }] },
    log: (line) => {
      outputs['host log'] = `${outputs['host log'] ?? ''}${line}\n`;
    },
    logLevel: 'debug',
    isVisible: false,
  });
  closers.push(() => host.close());
  const [tool] = await host.tools({ timeoutMs: 3_000 });
  outputs['host'] = JSON.stringify([await tool?.run({}), host.list(), host.get('s')]);
  return outputs;
}

test.each(['http', 'initialize', 'list', 'call'] as const)(
  'a header that a server echoes is redacted everywhere: %s',
  async (fault) => {
    const { url } = await openServer(echoing(fault));
    const testbed = configure(newTestbed(), { s: { transport: 'http', url, headers: { Authorization: HEADER } } });
    expectHidden(await collectAllOutput(testbed));
  },
);

test('a variable that a program echoes in an error or on stderr is redacted everywhere', async () => {
  const program = `
    const echo = ${JSON.stringify(ECHO)};
    process.stderr.write(echo + '\\n');
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const result = method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: echo, title: echo, version: echo } }
        : method === 'tools/list' ? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } : undefined;
      const error = { code: 5, message: echo, data: { env: process.env, echo } };
      console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error }));
    });`;
  const testbed = newTestbed();
  const file = testbed.write('server.cjs', program);
  configure(testbed, { s: { command: process.execPath, args: [file], env: { API: TOKEN } } });
  expectHidden(await collectAllOutput(testbed));
});

function expectHidden(outputs: Readonly<Record<string, string>>): void {
  const shown = Object.fromEntries(Object.entries(outputs).map(([name, text]) => [name, isShown(text)]));
  expect(shown).toEqual(Object.fromEntries(Object.keys(outputs).map((name) => [name, []])));
  expect(Object.values(outputs).join('')).toContain('bad header ***');
}
