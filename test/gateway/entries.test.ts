import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { CliProcess } from './cli-process.ts';
import { answerTo, call, initialized, initializeRequest, list, run, testHomes, toolNames } from './run-cli.ts';

/** From file to server: each server gets the settings of its entry. */
const processes = trackProcesses();
const openHome = testHomes(processes);
const own = (servers: object) => ({ version: 1, mcp: { servers } });

verifies(
  ['config:dialect:entry', 'config:own:stdio-started', 'gateway:environment:allow-list'],
  'a command starts with its args, cwd, env and the allowed variables, and no others',
  async () => {
    const home = openHome();
    const cwd = join(realpathSync(home.folder), 'work');
    const server = { ...fixture('reports-environment', 'an argument', ''), env: { OWN: 'value' } };
    home.write('.codex/.mcp.json', { mcpServers: { foreign: server } });
    home.write('own/config.json', own({ mine: { transport: 'stdio', ...server, cwd } }));
    const result = await run(['gateway'], {
      env: home.env({ SECRET_TOKEN: 'of the gateway', LC_TEST: 'allowed' }),
      cwd: home.folder,
      say: [
        initializeRequest(),
        initialized,
        call('foreign__environment', {}, 'foreign'),
        call('mine__environment', {}, 'mine'),
      ],
    });
    const reported = ['foreign', 'mine'].map((id) => JSON.parse(answerTo(result, id).result.content[0].text));
    for (const { args, env } of reported) {
      expect(args).toEqual(['an argument', '']);
      expect(env).toMatchObject({ OWN: 'value', LC_TEST: 'allowed', HOME: home.folder });
      expect(env).not.toHaveProperty('SECRET_TOKEN');
    }
    expect(reported[1].cwd).toBe(cwd);
  },
);

verifies('config:own:disabled', 'a disabled entry is not connected', async () => {
  const home = openHome();
  const trace = join(home.folder, 'was-started');
  const leavesTrace = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(trace)}, '')`];
  home.write(
    'own/config.json',
    own({ on: fixture('well-behaved'), off: { command: process.execPath, args: leavesTrace, enabled: false } }),
  );
  const result = await run(['gateway'], {
    env: home.env(),
    cwd: home.folder,
    say: [initializeRequest(), initialized, list, call('off__echo')],
  });
  expect(toolNames(result)).toEqual(['on__echo', 'on__add', 'on__slow']);
  expect(answerTo(result, 'call').error?.message).toContain('Its server off is disabled');
  expect(existsSync(trace)).toBe(false);
});

verifies('config:own:timeout', 'a request may take up to request_timeout_ms', async () => {
  const home = openHome();
  const server = fixture('hangs-at-call');
  const file = home.write('config.json', own({ short: { ...server, request_timeout_ms: 300 }, usual: server }));
  const gateway = new CliProcess(switchboard('gateway', '--config', file), processes, home.env());
  await gateway.initialize();
  const usual = gateway.post('tools/call', { name: 'usual__hang', arguments: {} });
  expect((await gateway.call('short__hang')).error).toMatchObject({
    code: 1008,
    message: expect.stringMatching(/^Server error: short did not answer tools\/call within \d+ ms\./),
  });
  expect(gateway.received.filter(({ id }) => id === usual)).toEqual([]);
  gateway.kill('SIGTERM');
});

verifies('gateway:wire:content-length-upstream', 'messages to a server use the framing of its entry', async () => {
  const home = openHome();
  const lengths = { ...fixture('speaks-content-length'), framing: 'content-length' };
  home.write('.codex/.mcp.json', { mcpServers: { lengths, lines: fixture('well-behaved') } });
  const result = await run(['gateway'], {
    env: home.env(),
    cwd: home.folder,
    say: [
      initializeRequest(),
      initialized,
      call('lengths__echo', { text: 'é😀' }),
      call('lines__echo', { text: 'é😀' }, 'lines'),
    ],
  });
  for (const id of ['call', 'lines'])
    expect(answerTo(result, id).result.content).toEqual([{ type: 'text', text: 'é😀' }]);
});

verifies(
  'gateway:names:prefix-off',
  'with --prefix off, names are unchanged, the first server keeps a shared name, and the hidden tool is reported',
  async () => {
    const home = openHome();
    const named = (name: string, ...tools: string[]) => fixture('has-names', name, JSON.stringify(tools));
    const file = home.write('servers.json', {
      mcpServers: { one: named('one', 'read', 'a b'), two: named('two', 'read', 'write') },
    });
    const options = ['gateway', '--config', file, '--prefix', 'off'];
    const gateway = new CliProcess(switchboard(...options), processes, home.env());
    await gateway.initialize();
    const { result } = await gateway.request('tools/list');
    expect(result.tools.map(({ name }: { name: string }) => name)).toEqual(['read', 'a b', 'write']);
    expect((await gateway.call('read')).result.content[0].text).toBe('one has read');
    gateway.endInput();
    const { stdout } = await run([...options, '--check'], { env: home.env(), cwd: home.folder });
    expect(stdout).toContain('read: not listed: another server has read');
  },
);
