import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { openSignInServer } from '../mcp/sign-in-server.ts';
import { trackProcesses } from '../processes.ts';
import { answerTo, initialized, initializeRequest, list, run, testHomes } from './run-cli.ts';

const processes = trackProcesses();
const openHome = testHomes(processes);

test('from the second start on, the initialize response contains the server instructions, with secrets redacted', async () => {
  const home = openHome();
  const env = { MY_TOKEN: 'correct-horse-battery' };
  const text = 'Search before you write.\nToken: correct-horse-battery';
  const file = home.write('servers.json', { mcpServers: { docs: { ...fixture('gives-instructions', text), env } } });
  const start = async () => {
    const options = { env: home.env(), cwd: home.folder, say: [initializeRequest(), initialized, list] };
    return String(answerTo(await run(['gateway', '--config', file], options), 'hello').result.instructions);
  };
  expect(await start()).not.toContain('docs:');
  for (const _ of ['by the gateway or by what is prepared', 'by what is prepared']) {
    const instructions = await start();
    expect(instructions.split('\n').slice(-2)).toEqual(['docs: Search before you write.', '  Token: ***']);
  }
}, 120_000);

test.each([
  ['on', 'named <server>__<tool>'],
  ['off', 'under their own names'],
])(
  'with --prefix %s the instructions explain tool names at every start',
  async (prefix, words) => {
    const home = openHome();
    home.write('.codex/.mcp.json', { mcpServers: { good: fixture('well-behaved') } });
    const options = { env: home.env(), cwd: home.folder, say: [initializeRequest(), initialized, list] };
    for (const _ of ['before the gateway is loaded', 'by the gateway or by what is prepared', 'by what is prepared']) {
      const { instructions } = answerTo(await run(['gateway', '--prefix', prefix], options), 'hello').result;
      expect(instructions).toContain(words);
      expect(instructions.includes('<server>__<tool>')).toBe(prefix === 'on');
    }
  },
  120_000,
);

const complains = (text: string) => ({
  command: process.execPath,
  args: ['-e', `console.error(${JSON.stringify(text)}); process.exitCode = 3`],
});

test('every missing server is named, however much there is to report about the others', async () => {
  await using web = await openSignInServer();
  const home = openHome();
  home.write('own/config.json', '{ "version": 1, "mcpServers": ');
  home.write('.codex/.mcp.json', {
    mcpServers: {
      first: complains(`Error: the first one ${'is very unhappy, '.repeat(30)}`),
      second: complains(`Error: the second one ${'is very unhappy, '.repeat(30)}`),
      web: { url: `${web.origin}/mcp` },
      third: complains('Error: no key'),
      malformed: { command: 5 },
      fourth: { command: '/no/such/program' },
    },
  });
  const options = { env: home.env(), cwd: home.folder, say: [initializeRequest(), initialized, list] };
  await run(['gateway'], options);
  const instructions = String(answerTo(await run(['gateway'], options), 'hello').result.instructions);
  const [, ...lines] = instructions.split('\n');
  expect(lines).toEqual([
    'Sign-in needed: web (run: switchboard mcp login web)',
    expect.stringMatching(/^Failed to start: first( \(.+\))?, second( \(.+\))?, third( \(.+\))?, fourth( \(.+\))?$/),
    expect.stringMatching(/^Invalid config entry: malformed/),
    expect.stringContaining('own/config.json'),
  ]);
  expect(lines[1]).toContain('no key');
  expect(instructions.length).toBeLessThanOrEqual(600);
}, 120_000);
