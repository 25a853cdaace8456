import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { answerTo, call, initialized, initializeRequest, list, run, testHomes } from './run-cli.ts';

const openHome = testHomes(trackProcesses());
const KEY = 'hunter2-and-more';

/** Reveals its key everywhere, then exits. */
const leakyServer = {
  command: process.execPath,
  args: ['-e', 'console.error("Error: bad key " + process.env.MY_KEY + " and sk-" + "a".repeat(40)); process.exit(3)'],
  env: { MY_KEY: KEY },
};

test('a key that a server prints on stderr appears in none of our output', async () => {
  const home = openHome();
  const file = home.write('servers.json', { mcpServers: { leakyServer } });
  const cwd = home.folder;
  const status = { jsonrpc: '2.0', id: 'status', method: 'resources/read', params: { uri: 'switchboard://status' } };
  const say = [initializeRequest(), initialized, list, call('leakyServer__x'), status];
  const served = await run(['gateway', '--config', file], { env: home.env({ DEBUG: '1' }), cwd, say });
  expect(answerTo(served, 'call').error?.message).toContain('Error: bad key *** and');
  const checked = await run(['gateway', '--check', '--config', file], { env: home.env(), cwd });
  expect(checked.stdout).toContain('bad key ***');
  const all = [served.stdout, served.stderr, checked.stdout, checked.stderr].join();
  expect(all).not.toContain(KEY);
  expect(all).not.toContain('sk-aaaa');
});
