import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { startArguments } from './stop-phases.ts';
import { eventually, openTestbed, type Testbed } from './testbed.ts';

const processes = trackProcesses();

describe('a command-line option', () => {
  const SEE_HELP = 'See: switchboard codex --help';

  test.each([
    ['that is unknown', ['--frob'], `switchboard codex does not accept "--frob". ${SEE_HELP}`],
    [
      'without its dashes',
      ['tools'],
      `There is no switchboard codex tools. Choose one of run, say, sessions, show, mcp-server. ${SEE_HELP}`,
    ],
    ['without its value', ['--tools'], `--tools needs a value. ${SEE_HELP}`],
    ['with another option as its value', ['--allow-root', '--tools'], `--allow-root needs a value. ${SEE_HELP}`],
    [
      'with an invalid value',
      ['--tools', 'some'],
      `--tools must be one of core, full, compat, all, not "some". ${SEE_HELP}`,
    ],
    [
      'with an invalid engine',
      ['--engine=gas'],
      `--engine must be one of auto, app-server, exec, not "gas". ${SEE_HELP}`,
    ],
    [
      'with an invalid sandbox',
      ['--max-sandbox', 'none'],
      `--max-sandbox must be one of read-only, workspace-write, danger-full-access, not "none". ${SEE_HELP}`,
    ],
    [
      'with an invalid approvals value',
      ['--approvals', 'me'],
      `--approvals must be one of any, user, none, not "me". ${SEE_HELP}`,
    ],
    ['with a wait of zero', ['--max-wait', '0'], '--max-wait must be a number of seconds above 0, not "0".'],
    ['with a missing folder', ['--allow-root', '/no/such'], '--allow-root: there is no folder /no/such.'],
  ])('%s ends the server at once with exit code 2', async (_name, args, text) => {
    await using testbed = await openTestbed(processes);
    const { code, stdout, stderr } = await run(testbed, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
  });
});

describe('an environment variable', () => {
  test('with an invalid value is reported and ignored', async () => {
    await using testbed = await openTestbed(processes);
    const env = { MAX_SESSIONS: 'many', EVENT_BUFFER_SIZE: '-1', APPROVAL_TIMEOUT_MS: '0', LOG_LEVEL: 'loud' };
    const { code, stdout, stderr } = await run(testbed, [], env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr.trim().split('\n')).toEqual([
      '[switchboard] warn: APPROVAL_TIMEOUT_MS must be a whole number above 0, not "0": using 300000.',
      '[switchboard] warn: MAX_SESSIONS must be a whole number above 0, not "many": using 10.',
      '[switchboard] warn: EVENT_BUFFER_SIZE must be a whole number above 0, not "-1": using 500.',
      '[switchboard] warn: LOG_LEVEL must be one of debug, info, warn, error, not "loud": using info.',
    ]);
  });

  test('may have surrounding spaces and capital letters', async () => {
    await using testbed = await openTestbed(processes);
    const { stderr } = await run(testbed, [], { MAX_SESSIONS: ' 3 ', LOG_LEVEL: 'WARN' });
    expect(stderr).toBe('');
  });
});

describe('the log', () => {
  /** A session that asks for an approval, which is logged at level info. Codex's own output is logged at debug. */
  async function logged(env: Record<string, string>): Promise<string> {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve({ env });
    const asked = { ...startArguments([{ shell: 'touch x' }]), approvalPolicy: 'untrusted', waitSeconds: 50 };
    const { sessionId } = await client.call('codex_start', asked);
    await client.call('codex_interrupt', { sessionId });
    await client.close();
    return client.stderr();
  }
  const INFO = /^\[switchboard\] session \S+: command_approval requested$/m;
  const DEBUG = /^\[switchboard\] debug: codex app-server/m;

  verifies('codex:env:log-level', 'reports events, and Codex activity only at debug level', async () => {
    const usual = await logged({});
    expect(usual).toMatch(INFO);
    expect(usual).not.toMatch(DEBUG);
    for (const env of [{ LOG_LEVEL: 'debug' }, { DEBUG: '1', LOG_LEVEL: 'error' }] satisfies Record<string, string>[]) {
      const all = await logged(env);
      expect(all).toMatch(INFO);
      expect(all).toMatch(DEBUG);
    }
    expect(await logged({ LOG_LEVEL: 'error' })).toBe('');
  });

  verifies('codex:server:stdout', 'goes to stderr: every line of stdout is a message', async () => {
    await using testbed = await openTestbed(processes);
    const { prompt, ...args } = startArguments([{ message: 'hi' }]);
    const call = { name: 'codex_start', arguments: { prompt: prompt ?? '', ...args, waitSeconds: 50 } };
    const messages = [
      { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} } },
      { id: 2, method: 'tools/call', params: call },
    ];
    const { code, stdout, stderr } = await run(testbed, [], { DEBUG: '1' }, messages);
    expect(code).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ jsonrpc, id }) => ({ jsonrpc, id }))).toEqual([
      { jsonrpc: '2.0', id: 1 },
      { jsonrpc: '2.0', id: 2 },
    ]);
    expect(lines[1].result.structuredContent).toMatchObject({ status: 'done', result: 'hi' });
    expect(stderr).toMatch(DEBUG);
  });
});

/** Runs the server until it has answered these messages and has exited. */
async function run(
  testbed: Testbed,
  args: readonly string[],
  env: Record<string, string> = {},
  messages: readonly object[] = [],
) {
  const [program, ...rest] = testbed.command(...args);
  const started = spawn(program, rest, { env: testbed.env(env), cwd: testbed.home.workDir });
  const output = { stdout: '', stderr: '' };
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  started.stdin.on('error', () => undefined);
  for (const message of messages) started.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await eventually(() => output.stdout.split('\n').length > messages.length);
  started.stdin.end();
  const [code] = await once(started, 'close');
  return { code, ...output };
}
