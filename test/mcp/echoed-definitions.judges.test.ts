import { expect, test } from 'vitest';
import { answerTo, call, initialized, initializeRequest, run as runBinary } from '../gateway/run-cli.ts';
import { trackProcesses } from '../processes.ts';
import { useGateways } from './matrix-gateway.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const openGateway = useGateways(processes);

const TOKEN = 'zq7Xk29fLmPwR4tVb81';
/** A value of `env` that is an ordinary word, and also the name of a tool. */
const WORD = 'search';

/** Repeats the variable in everything except errors. */
const PROGRAM = `
  const token = process.env.API;
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const schema = { type: 'object', properties: { a: { type: 'string', default: token } } };
  const answers = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'n', version: '1' } },
    'tools/list': { tools: [
      { name: 'echo', description: 'Echoes ' + token, inputSchema: schema },
      { name: 'bad_' + token, description: 'd', inputSchema: { type: 'array' } },
      { name: 'odd name ' + token, inputSchema: { type: 'object' } },
      { name: 'left_' + token, inputSchema: 5 },
      { name: '${WORD}', inputSchema: { type: 'object' } },
    ] },
    'tools/call': { content: [{ type: 'text', text: 'result ' + token }] },
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    if (method === 'tools/call') {
      send({ method: 'notifications/message', params: { level: 'error', logger: token, data: { text: 'log ' + token } } });
      const { progressToken } = params._meta ?? {};
      if (progressToken !== undefined)
        send({ method: 'notifications/progress', params: { progressToken, progress: 1, message: 'step ' + token } });
    }
    send({ id, result: answers[method] ?? {} });
  });`;

function newServer(): Testbed {
  const testbed = newTestbed();
  const file = testbed.write('server.cjs', PROGRAM);
  configure(testbed, { s: { command: process.execPath, args: [file], env: { API: TOKEN, MODE: WORD } } });
  return testbed;
}

test('log messages and progress reach a client without the secrets of their server, and results unchanged', async () => {
  const testbed = newServer();
  const env = processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), DEBUG: '1' });
  const calling = call('s__echo');
  const withProgress = { ...calling, params: { ...Object(calling).params, _meta: { progressToken: 'mine' } } };
  const served = await runBinary(['gateway'], {
    env,
    cwd: testbed.path('project'),
    say: [initializeRequest(), initialized, withProgress],
  });
  const lines = served.stdout.split('\n');
  expect(lines.filter((line) => line.includes('notifications/message')).map((line) => JSON.parse(line).params)).toEqual(
    [{ level: 'error', logger: expect.stringContaining('***'), data: { text: 'log ***' } }],
  );
  expect(
    lines.filter((line) => line.includes('notifications/progress')).map((line) => JSON.parse(line).params),
  ).toEqual([{ progressToken: 'mine', progress: 1, message: 'step ***' }]);
  expect(answerTo(served, 'call').result).toEqual({ content: [{ type: 'text', text: `result ${TOKEN}` }] });
  expect(served.stderr).not.toContain(TOKEN);
});

test.each(['direct', 'gateway'] as const)(
  'a secret in the name or description of a tool is redacted: %s',
  async (via) => {
    const testbed = newServer();
    if (via === 'gateway') await openGateway(testbed);
    const outputs: Record<string, string> = {};
    const say = async (...args: readonly string[]) => {
      const { stdout, stderr } = await testbed.run(args, { env: { DEBUG: '1' } });
      outputs[args.join(' ')] = stdout + stderr;
    };
    await say('mcp', 'tools', 's');
    await say('mcp', 'tools', 's', '--json');
    await say('mcp', 'tools', 'echo', '--json');
    await say('mcp', 'tool', 's.echo');
    await say('mcp', 'tool', 's.echo', '--json');
    await say('mcp', 'status', 's', '--json');
    await say('mcp', 'status', 's');
    await say('mcp', 'test', 's', '--verbose');
    await say('mcp', 'test', 's', '--json');
    await say('gateway', '--check');
    await say('gateway', '--check', '--json');
    await say('gateway', '--explain', 's');
    await say('gateway', '--explain', 's', '--json');
    expect(Object.entries(outputs).flatMap(([name, text]) => (text.includes(TOKEN) ? [name] : []))).toEqual([]);
    expect(outputs['mcp tools s']).toContain('Echoes ***');
    expect(outputs['mcp tools s']).toContain(`s.${WORD}`);
    const { stdout, stderr } = await testbed.mcp('call', 's.echo', '--verbose');
    expect(stdout).toContain(`result ${TOKEN}`);
    expect(stderr).not.toContain(TOKEN);
    expect(stderr).toContain('log ***');
  },
);
