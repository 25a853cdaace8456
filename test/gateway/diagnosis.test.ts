import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness } from './harness.ts';
import { run, testHomes } from './run-cli.ts';
import { statusOf, untilState } from './server-status.ts';

/** Reasons why a server does not work, in words that a user can act on. */
const { openGateway, processes } = gatewayHarness();
const openHome = testHomes(processes);
const STRAY = 'It prints text on stdout; MCP needs stdout for protocol messages only: ';
const LINES = '"Loading config from /etc/app", "Server listening on port 3000"';
const script = (code: string) => ({ command: process.execPath, args: ['-e', code] });

describe('text on stdout', () => {
  test('is in the error of a server that never responds', async () => {
    const { connect, gateway } = openGateway({ bad: { ...fixture('prints-text'), startupTimeoutMs: 5_000 } });
    const client = await connect();
    const { error } = await client.call('bad__echo');
    expect(error?.message).toContain(`did not answer initialize within 5 s. ${STRAY}${LINES}`);
    expect(statusOf(gateway, 'bad').strayOutput).toBe(STRAY + LINES);
  });

  test('is in the error of a server that exits without stderr output', async () => {
    const { connect } = openGateway({ bad: fixture('prints-text', '3') });
    const client = await connect();
    const { error } = await client.call('bad__echo');
    expect(error?.message).toContain(`it ended with exit code 3 without output on stderr. ${STRAY}${LINES}`);
  });

  test('does not include an answer that is not valid JSON, which its caller has already got as an error', async () => {
    const { connect, gateway } = openGateway({ bad: fixture('says-anything') });
    const client = await connect();
    await client.toolNames();
    const lines = ['{"jsonrpc":"2.0","id":"$id","result":{"content":[],"mean":NaN}}'];
    const { error } = await client.call('bad__say', { lines, answers: false });
    expect(error?.message).toContain('an answer that is not valid JSON');
    expect(statusOf(gateway, 'bad').strayOutput).toBeUndefined();
  });

  test('is mentioned once by mcp test and --check, even if the server works', async () => {
    const home = openHome();
    const file = home.write('servers.json', { mcpServers: { junk: fixture('prints-junk') } });
    const tried = await run(['mcp', 'test', 'junk', '--config', file], { env: home.env(), cwd: home.folder });
    const checked = await run(['gateway', '--check', '--config', file], { env: home.env(), cwd: home.folder });
    for (const { stdout, status } of [tried, checked]) {
      expect(stdout.split(STRAY)).toHaveLength(2);
      expect(stdout).toMatch(/"Listening on stdio\.\.\.", .* and \d+ more lines/);
      expect(status).toBe(0);
    }
  });

  test('is in the remarks of mcp status, truncated and with secrets redacted', async () => {
    const noisy = script(
      `for (let i = 0; i < 1000; i++) console.log('token ' + process.env.MY_TOKEN + 'x'.repeat(500))`,
    );
    const home = openHome();
    const env = { MY_TOKEN: 'correct-horse-battery' };
    const file = home.write('servers.json', { mcpServers: { noisy: { ...noisy, env } } });
    const { stdout } = await run(['mcp', 'test', 'noisy', '--config', file, '--json'], {
      env: home.env(),
      cwd: home.folder,
    });
    const [{ strayOutput }] = JSON.parse(stdout).servers;
    expect(strayOutput).toMatch(/^It prints text on stdout;.*"token \*\*\*x+…", .* and 997 more lines$/);
    expect(strayOutput.length).toBeLessThan(600);
    expect(stdout).not.toContain('correct-horse-battery');
  });
});

describe('a server that exits', () => {
  test('and names a variable that is set but not passed on gets a hint', async () => {
    const env = { API_KEY: 'something', OTHER_THING: '1' };
    const { connect, gateway } = openGateway({ bad: fixture('dies-at-start') }, { env });
    const client = await connect();
    const { error } = await client.call('bad__echo');
    expect(error?.message).toContain('`API_KEY` is set here but not passed on: add it to `env_vars`');
    await untilState(gateway, 'bad', 'error');
    expect(statusOf(gateway, 'bad').reason).toContain('`API_KEY` is set here but not passed on');
  });

  test('gets no such hint if the variable is not set, or was passed on', async () => {
    const passed = openGateway(
      { bad: { ...fixture('dies-at-start'), envVars: ['API_KEY'] } },
      { env: { API_KEY: 'something' } },
    );
    const unset = openGateway({ bad: fixture('dies-at-start') });
    for (const { connect } of [passed, unset]) {
      const { error } = await (await connect()).call('bad__echo');
      expect(error?.message).not.toContain('env_vars');
    }
  });

  test('and says that a variable is not set gets the setting to add', async () => {
    const complaint = (text: string) => script(`process.stderr.write(${JSON.stringify(`${text}\n`)}); process.exit(1)`);
    const { connect } = openGateway({
      unset: complaint('Error: WEATHER_API_KEY is not set'),
      passed: { ...complaint('Error: WEATHER_API_KEY is required'), env: { WEATHER_API_KEY: 'x' } },
      other: complaint('SYNTAX_ERROR in line 1'),
    });
    const client = await connect();
    const messageOf = async (server: string) => (await client.call(`${server}__echo`)).error?.message;
    expect(await messageOf('unset')).toContain('is not set. Set `WEATHER_API_KEY` in its `env`');
    expect(await messageOf('passed')).not.toContain('Set `');
    expect(await messageOf('other')).not.toContain('Set `');
  });

  test('and complains about an argument with ~ is explained', async () => {
    const complain = `console.error('ENOENT: no such folder ' + process.argv[1]); process.exit(1)`;
    const { connect } = openGateway({ bad: { command: process.execPath, args: ['-e', complain, '~/projects'] } });
    const { error } = await (await connect()).call('bad__echo');
    expect(error?.message).toContain('`~` is not expanded in args: write the full path');
  });

  test('is reported with its stderr, even if a child process holds the pipe and the machine is busy', async () => {
    const holder = `require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 3000)'], { stdio: ['ignore', 'ignore', 'inherit'] });`;
    const dying = script(`${holder} process.stderr.write('no key\\n'); process.exit(4)`);
    const { connect } = openGateway({ bad: dying });
    const client = await connect();
    const answer = client.call('bad__echo');
    // Simulates a gateway that starts a hundred servers: all timers and events are late.
    const busy = setInterval(() => {
      const end = performance.now() + 150;
      while (performance.now() < end);
    }, 1);
    const { error } = await answer;
    clearInterval(busy);
    expect(error?.message).toContain('it ended with exit code 4: no key');
  });
});

describe('a program that cannot be started', () => {
  test('because its arguments are too large is explained', async () => {
    const args = ['-e', '0', ...Array(40).fill('x'.repeat(100_000))];
    const { connect } = openGateway({ bad: { command: process.execPath, args } });
    const { error } = await (await connect()).call('bad__echo');
    expect(error?.message).toMatch(
      /^Spawn error: the arguments and variables of .* are larger than this system allows/,
    );
  });

  test('a leading ~ in command and cwd is expanded to the home folder', async () => {
    const home = openHome();
    mkdirSync(join(home.folder, 'bin'));
    const file = join(home.folder, 'bin', 'server');
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${fixture('well-behaved').args[0]}"\n`);
    chmodSync(file, 0o755);
    const config = home.write('servers.json', { mcpServers: { one: { command: '~/bin/server', cwd: '~/work' } } });
    const { stdout } = await run(['gateway', '--check', '--config', config], { env: home.env(), cwd: home.folder });
    expect(stdout).toMatch(/^one +ready +3 tools/m);
  });
});
