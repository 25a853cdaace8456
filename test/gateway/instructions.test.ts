import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { answerTo, hello, initialized, list, run, testHomes } from './binary.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);

test('from the second start on the answer to initialize has the instructions of the servers, secrets masked', async () => {
  const home = openHome();
  const env = { MY_TOKEN: 'correct-horse-battery' };
  const text = 'Search before you write.\nToken: correct-horse-battery';
  const file = home.write('servers.json', { mcpServers: { docs: { ...fixture('gives-instructions', text), env } } });
  const start = async () => {
    const options = { env: home.env(), cwd: home.folder, say: [hello(), initialized, list] };
    return String(answerTo(await run(['gateway', '--config', file], options), 'hello').result.instructions);
  };
  expect(await start()).not.toContain('docs:');
  for (const _ of ['by the gateway or by what is prepared', 'by what is prepared']) {
    const instructions = await start();
    expect(instructions.split('\n').slice(-2)).toEqual(['docs: Search before you write.', '  Token: ***']);
  }
}, 120_000);
