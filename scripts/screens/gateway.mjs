// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Starts a gateway with a client and makes calls. Returns when every server has reached its state. The gateway stops
 * when the home is closed.
 *
 * @param {import('./home.mjs').Home} home
 * @param {{ readonly calls: readonly (readonly [tool: string, args: object])[], readonly states: readonly string[] }} wanted
 */
export async function openGateway(home, { calls, states }) {
  const { main, cwd, env, onClose } = home;
  const gateway = spawn(process.execPath, [main, 'gateway'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  onClose(() => stop(gateway));
  let answers = '';
  gateway.stdout.setEncoding('utf8').on('data', (/** @type {string} */ piece) => {
    answers += piece;
  });
  let id = 0;
  const ask = async (/** @type {string} */ method, /** @type {object} */ params) => {
    gateway.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })}\n`);
    await until(() => answers.includes(`"id":${id},`) || answers.includes(`"id":${id}}`), `the answer to ${method}`);
  };
  await ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'agent', version: '1.0' },
  });
  gateway.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  for (const [name, args] of calls) await ask('tools/call', { name, arguments: args });
  await until(async () => (await statesOf(home)) === states.join(), `the states ${states}`);
}

/** @param {import('./home.mjs').Home} home */
async function statesOf({ run }) {
  const { running } = JSON.parse(await run('mcp', 'status', '--json'));
  return running[0].servers.map((/** @type {{ state: string }} */ { state }) => state).join();
}

/** @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} gateway */
async function stop(gateway) {
  gateway.stdin.end();
  const kill = setTimeout(() => gateway.kill('SIGKILL'), 10_000);
  if (gateway.exitCode === null) await once(gateway, 'close');
  clearTimeout(kill);
}

/** @param {() => boolean | Promise<boolean>} isDone @param {string} what */
async function until(isDone, what) {
  for (const end = performance.now() + 30_000; !(await isDone()); await delay(50))
    if (performance.now() > end) throw new Error(`Timed out after 30 s, waiting for ${what}.`);
}
