import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

test.runIf(process.platform === 'linux')(
  'a stale socket is removed silently, even if its process id is in use again',
  async () => {
    const testbed = newTestbed();
    const run = testbed.path('own/run');
    mkdirSync(run, { recursive: true, mode: 0o700 });
    const script = `require('net').createServer().listen(process.argv[1], () => console.log('ready'))`;
    const killed = spawn(process.execPath, ['-e', script, join(run, 'x')], { env: processes.env() });
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const left = join(run, `${process.pid}-01234567.sock`);
    renameSync(join(run, 'x'), left);
    utimesSync(left, new Date(0), new Date(0));
    expect(await testbed.mcp('status')).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(run)).toEqual([]);
  },
);
