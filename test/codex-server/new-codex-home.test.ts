import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { switchboard } from '../interop/programs.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

/** The real Codex looks for the network in a home without a config. This one only records whether its folder exists. */
const RECORDER = `#!${process.execPath}
const { existsSync, writeFileSync } = require('node:fs');
if (process.argv.includes('--version')) console.log('codex-cli 0.166.0');
else writeFileSync(__dirname + '/seen', String(existsSync(process.env.CODEX_HOME)));
`;

test('a Codex that was never used finds its default folder, which it would refuse if it did not exist', async () => {
  const testbed = newTestbed();
  const codex = testbed.write('bin/codex', RECORDER);
  chmodSync(codex, 0o755);
  const { command, args } = switchboard('codex');
  const own = { HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), CODEX_CLI_PATH: codex };
  const options = { env: processes.env(own), cwd: testbed.folder } as const;
  const server = spawn(command, args, { ...options, stdio: ['pipe', 'ignore', 'ignore'] });
  const messages = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'codex_list', arguments: {} } },
  ];
  server.stdin.end(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
  await once(server, 'close');
  expect([testbed.read(join('bin', 'seen')), testbed.exists('.codex')]).toEqual(['true', true]);
});
