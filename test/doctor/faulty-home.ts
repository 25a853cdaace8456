import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { fixture } from '../fixtures/paths.ts';
import { GLOBAL, ownConfig, type Testbed } from '../mcp/testbed.ts';
import type { ProcessTracker } from '../processes.ts';
import { prepareHome } from './doctor-home.ts';

/** Variables of the shell in which the user types. */
export const SHELL_VARIABLES = { CLIENT_TOKEN: 'set in the shell only' };

export interface FaultyHome {
  readonly testbed: Testbed;
  readonly processes: ProcessTracker;
  /** A server that needs a sign-in. */
  readonly protectedUrl: string;
}

/** Breaks a home in every way that `doctor` knows and that a command can fix. Returns the pid of an orphan. */
export async function breakHome({ testbed, processes, protectedUrl }: FaultyHome): Promise<number> {
  prepareHome(testbed);
  testbed.write('.cursor/mcp.json', { mcpServers: {} });
  testbed.write('.gemini/settings.json', { mcpServers: {} });
  testbed.write('.codeium/windsurf/mcp_config.json', { mcpServers: { files: fixture('well-behaved') } });
  await testbed.run(['connect', 'cursor', 'gemini', 'windsurf', '--yes']);
  writeServers(testbed, protectedUrl);
  breakClients(testbed);
  await leaveSocket(testbed, processes);
  for (const name of ['secrets.json.lock', 'trust.json.0123456789ab.tmp']) makeOld(testbed.write(`own/${name}`, ''));
  chmodSync(testbed.write('own/secrets.json', { version: 1, secrets: { OTHER: 'x' } }), 0o644);
  chmodSync(testbed.path(GLOBAL), 0o666);
  chmodSync(testbed.path('own'), 0o755);
  return leaveProcess(testbed, processes);
}

function writeServers(testbed: Testbed, protectedUrl: string): void {
  const servers = {
    ...{
      files: fixture('well-behaved'),
      gone: { command: 'no-such-program' },
      dead: { command: 'node', args: ['-e', 'process.exitCode = 3'] },
    },
    slow: fixture('slow-start', '12000'),
    private: { url: protectedUrl },
    needy: { ...fixture('well-behaved'), env: { TOKEN: `\${NEEDED_TOKEN}` }, expand_variables: true },
    passed: { ...fixture('well-behaved'), env_vars: ['CLIENT_TOKEN'] },
  };
  testbed.write(GLOBAL, ownConfig(servers));
  testbed.write('project/.mcp.json', { mcpServers: { shy: fixture('well-behaved') } });
}

function breakClients(testbed: Testbed): void {
  const launcher = testbed.path('own/bin/switchboard');
  const ours = (client: string, command = launcher) => ({ command, args: ['gateway', '--client', client] });
  testbed.write('.gemini/settings.json', { mcpServers: {}, theme: 'dark' });
  testbed.write('.copilot/mcp-config.json', { mcpServers: { switchboard: ours('copilot', '/gone/switchboard') } });
  testbed.write('.codeium/windsurf/mcp_config.json', {
    mcpServers: { files: fixture('well-behaved'), switchboard: ours('windsurf') },
  });
  testbed.write('.claude.json', { mcpServers: { agent: { type: 'stdio', command: 'codex', args: ['mcp-server'] } } });
  testbed.write('.config/zed/settings.json', {
    context_servers: { fresh: { source: 'custom', ...fixture('well-behaved') } },
  });
  const seen = { imported: [], shared: [], seen: [] };
  testbed.write('own/clients.json', {
    version: 1,
    clients: { windsurf: { ...seen, imported: ['files'], seen: ['files'] }, claude: { ...seen, seen: ['agent'] } },
  });
  chmodSync(testbed.path('own/clients.json'), 0o600);
  testbed.write('own/names.json', {
    version: 1,
    servers: { files: { tools: [{ name: 'add', keys: [] }], tokens: 9 } },
  });
  rmSync(launcher);
}

/** Leaves the socket of a process that was killed. */
async function leaveSocket(testbed: Testbed, processes: ProcessTracker): Promise<void> {
  mkdirSync(testbed.path('own/run'), { recursive: true, mode: 0o700 });
  const code = `require('net').createServer().listen(process.argv[1] + process.pid + '-01234567.sock', () => console.log())`;
  const killed = spawn(process.execPath, ['-e', code, testbed.path('own/run/')], { env: processes.env() });
  await once(killed.stdout, 'data');
  killed.kill('SIGKILL');
  await once(killed, 'exit');
}

/** Leaves a server of a Switchboard that was killed together with its guard. */
async function leaveProcess(testbed: Testbed, processes: ProcessTracker): Promise<number> {
  const env = { ...processes.env({ HOME: testbed.folder }), SWITCHBOARD_MARK: `${'5e'.repeat(16)}/1/` };
  const left = spawn(process.execPath, ['-e', 'console.log(); setTimeout(() => {}, 200000)'], { env, detached: true });
  await once(left.stdout, 'data');
  left.unref();
  return left.pid ?? 0;
}

function makeOld(file: string): void {
  const longAgo = new Date(Date.now() - 24 * 60 * 60 * 1000);
  utimesSync(file, longAgo, longAgo);
}
