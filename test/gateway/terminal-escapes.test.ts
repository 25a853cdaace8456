import { join } from 'node:path';
import { expect, test } from 'vitest';
import { switchboard } from '../interop/programs.ts';
import { HOSTILE, STEERING, scripted } from '../mcp/listing-testbed.ts';
import { trackProcesses } from '../processes.ts';
import { CliProcess } from './cli-process.ts';
import { run, testHomes } from './run-cli.ts';

/** Server text is shown without terminal control sequences and hidden characters: U+009B, bidi marks, tags. */
const processes = trackProcesses();
const openHome = testHomes(processes);
const hostile = JSON.stringify(HOSTILE);

function setUp() {
  const home = openHome();
  home.write('.codex/.mcp.json', {
    mcpServers: {
      // Its tools have such names: one is offered, and one cannot be offered.
      names: scripted(
        `{ tools: { [${hostile}]: { description: ${hostile}, call: () => text('') } }, methods: { 'tools/list': () => ({ tools: [
          { name: ${hostile}, description: ${hostile}, inputSchema: { type: 'object' } }, { name: ${hostile} + '2', inputSchema: 5 }] }) } }`,
      ),
      // One server fails with such text on stderr, the other with such an error.
      words: scripted(`(process.stderr.write(${hostile} + '\\n'), process.exit(3))`),
      error: scripted(`{ methods: { initialize: () => { throw new Error(${hostile}); } } }`),
      list: scripted(`{ methods: { 'tools/list': () => { throw new Error(${hostile}); } } }`),
    },
  });
  return { env: home.env({ WRAPPER_TOOLS_LIST_TIMEOUT_MS: '30000' }), cwd: join(home.folder, 'work') };
}

test('--check --json escapes control characters, and the parsed JSON has the original text', async () => {
  const { status, stdout, stderr } = await run(['gateway', '--check', '--json'], setUp());
  expect(status).toBe(4);
  expect(stdout + stderr).not.toMatch(STEERING);
  expect(stdout).toContain('\\u009b2J');
  expect(stdout).toContain('\\u202eb');
  expect(stdout).toContain('\\udb40\\udc41');
  expect(JSON.parse(stdout).servers.map(({ id }: { id: string }) => id)).toEqual(['names', 'words', 'error', 'list']);
});

test('--check replaces control characters', async () => {
  const { stdout, stderr } = await run(['gateway', '--check'], setUp());
  expect(stdout + stderr).not.toMatch(STEERING);
});

test('switchboard://status and stderr contain no control characters', async () => {
  const { env, cwd } = setUp();
  const gateway = new CliProcess(switchboard('gateway'), processes, env, cwd);
  await gateway.initialize();
  const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
  gateway.endInput();
  await gateway.exited;
  const [{ text }] = result.contents;
  expect(text).not.toMatch(STEERING);
  expect(gateway.stderr).not.toMatch(STEERING);
  expect(text).toContain('u009b2J');
  expect(JSON.parse(text).servers).toHaveLength(4);
});
