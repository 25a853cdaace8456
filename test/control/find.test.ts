import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import { openControlSocket } from '../../src/control/socket/control-socket.ts';
import { findRunningInstances, removeStaleSocket } from '../../src/control/socket/running-instances.ts';
import { openingPath } from '../../src/control/socket/socket-paths.ts';
import { trackProcesses } from '../processes.ts';
import { controlHarness, onlyRunning } from './harness.ts';

const harness = controlHarness();
const processes = trackProcesses();

describe('a foreign location is neither used nor queried', () => {
  const refused = async (home: string) => {
    const testEnvironment = harness.testEnvironment(home);
    const problems: string[] = [];
    const control = await openControlSocket({
      environment: testEnvironment,
      answer: () => 1,
      onProblem: (text) => problems.push(text),
    });
    return { control, problems, found: findRunningInstances(testEnvironment) };
  };

  test('a folder that is open to others', async () => {
    const home = harness.folder();
    const run = join(home, 'run');
    mkdirSync(run);
    chmodSync(run, 0o777);
    const why = `it is open to others: run chmod 700 ${run}`;
    expect(await refused(home)).toEqual({
      control: undefined,
      problems: [`The status of this Switchboard process cannot be queried: ${run}: ${why}.`],
      found: { running: [], ignored: [{ place: run, why }] },
    });
    expect(readdirSync(run)).toEqual([]);
  });

  test('a symlink to a folder', async () => {
    const home = harness.folder();
    const run = join(home, 'run');
    const elsewhere = join(home, 'elsewhere');
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, run);
    expect(await refused(home)).toEqual({
      control: undefined,
      problems: [`The status of this Switchboard process cannot be queried: ${run}: it is a symbolic link.`],
      found: { running: [], ignored: [{ place: run, why: 'it is a symbolic link' }] },
    });
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('a file in place of the folder', async () => {
    const home = harness.folder();
    const run = join(home, 'run');
    writeFileSync(run, '');
    const { control, problems, found } = await refused(home);
    expect({ control, problems: problems.length, found }).toEqual({
      control: undefined,
      problems: 1,
      found: { running: [], ignored: [{ place: run, why: 'it is not a folder' }] },
    });
  });

  test('a home that is a file', async () => {
    const home = join(harness.folder(), 'file');
    writeFileSync(home, '');
    const { control, problems, found } = await refused(home);
    expect({ control, problems: problems.length, found }).toEqual({
      control: undefined,
      problems: 1,
      found: { running: [], ignored: [] },
    });
  });

  test.runIf(process.getuid?.() === 0)('a folder of another user', async () => {
    const home = harness.folder();
    const run = join(home, 'run');
    mkdirSync(run, { mode: 0o700 });
    chownSync(run, 1, 1);
    expect(await refused(home)).toEqual({
      control: undefined,
      problems: [`The status of this Switchboard process cannot be queried: ${run}: it belongs to another user.`],
      found: { running: [], ignored: [{ place: run, why: 'it belongs to another user' }] },
    });
  });

  test.runIf(process.getuid?.() === 0)('a socket of another user', async () => {
    const testEnvironment = harness.testEnvironment();
    const { address } = await harness.open({ environment: testEnvironment });
    chownSync(address, 1, 1);
    const why = 'it belongs to another user';
    expect(findRunningInstances(testEnvironment)).toEqual({ running: [], ignored: [{ place: address, why }] });
    await expect(sendControlRequest({ pid: process.pid, address }, 'mcp.list')).rejects.toMatchObject({
      code: 'DENIED',
      message: `The Switchboard process ${process.pid} is not queried at ${address}: ${why}.`,
    });
  });

  test('a file, a symlink and an unknown socket beside the sockets', async () => {
    const testEnvironment = harness.testEnvironment();
    const { address } = await harness.open({ environment: testEnvironment });
    const run = dirname(address);
    const [file, link, strange] = [`${process.pid}-00000000.sock`, `${process.pid}-11111111.sock`, 'strange.sock'].map(
      (name) => join(run, name),
    ) as [string, string, string];
    writeFileSync(file, '');
    symlinkSync(address, link);
    const other = createServer().listen(strange);
    await once(other, 'listening');
    const { running, ignored } = findRunningInstances(testEnvironment);
    other.close();
    expect({ running, ignored: ignored.toSorted((a, b) => (a.place < b.place ? -1 : 1)) }).toEqual({
      running: [{ pid: process.pid, address }],
      ignored: [
        { place: file, why: 'it is not a socket' },
        { place: link, why: 'it is not a socket' },
        { place: strange, why: 'its name is not that of a Switchboard socket' },
      ].toSorted((a, b) => (a.place < b.place ? -1 : 1)),
    });
    expect(existsSync(file)).toBe(true);
  });
});

test('before anything has run, nothing is found and nothing is created', () => {
  const testEnvironment = harness.testEnvironment();
  expect(findRunningInstances(testEnvironment)).toEqual({ running: [], ignored: [] });
  expect(readdirSync(testEnvironment.home)).toEqual([]);
});

test('two instances in one folder are listed separately, the older one first', async () => {
  const testEnvironment = harness.testEnvironment();
  const one = await harness.open({ environment: testEnvironment, answer: () => 'one' });
  // File times have a resolution of milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 10));
  const two = await harness.open({ environment: testEnvironment, answer: () => 'two' });
  const { running } = findRunningInstances(testEnvironment);
  expect(running).toEqual([one, two].map(({ address }) => ({ pid: process.pid, address })));
  expect(await Promise.all(running.map((each) => sendControlRequest(each, 'mcp.list')))).toEqual(['one', 'two']);
});

test('only the owner can open the folder and the socket', async () => {
  const { address } = await harness.open({ environment: harness.testEnvironment() });
  const modes = [dirname(address), address].map((path) => (lstatSync(path).mode & 0o777).toString(8));
  expect(modes).toEqual(['700', '600']);
});

test('closing removes the socket and can be repeated', async () => {
  const testEnvironment = harness.testEnvironment();
  const control = await harness.open({ environment: testEnvironment });
  await Promise.all([control.close(), control.close()]);
  await control.close();
  expect(readdirSync(dirname(control.address))).toEqual([]);
  expect(findRunningInstances(testEnvironment)).toEqual({ running: [], ignored: [] });
});

test('a home with a very long path works on both sides', async () => {
  const home = join(harness.folder(), 'x'.repeat(200));
  const plain = harness.testEnvironment(home);
  const testEnvironment = { ...plain, env: { ...plain.env, TMPDIR: harness.folder() } };
  const control = await harness.open({ environment: testEnvironment, answer: () => 'far' });
  expect(await sendControlRequest(onlyRunning(testEnvironment), 'mcp.list')).toBe('far');
  expect(onlyRunning(testEnvironment).address).toBe(control.address);
});

test('an instance without XDG variables is found by one that has them', async () => {
  const home = harness.folder();
  const bare = { cwd: home, home, env: {}, platform: process.platform };
  const runtime = harness.folder('/var/tmp');
  const { address } = await harness.open({ environment: bare });
  const full = { ...bare, env: { XDG_RUNTIME_DIR: runtime, XDG_DATA_HOME: join(home, 'data') } };
  expect(findRunningInstances(full).running).toEqual([{ pid: process.pid, address }]);
  const own = await harness.open({ environment: full });
  expect(dirname(own.address)).toBe(join(runtime, 'switchboard'));
});

test.each([
  ['points into', '/var/tmp', '/tmp'],
  ['is in', '/tmp', '/var/tmp'],
])('a runtime folder is not used if it is a symlink that %s a temporary folder', async (_, from, to) => {
  const home = harness.folder();
  const runtime = join(harness.folder(from), 'link');
  symlinkSync(harness.folder(to), runtime);
  const testEnvironment = { cwd: home, home, env: { XDG_RUNTIME_DIR: runtime }, platform: process.platform };
  const { address } = await harness.open({ environment: testEnvironment });
  expect(address.startsWith(join(home, ''))).toBe(true);
});

test('if the runtime folder is unusable, the next one is used', async () => {
  const home = harness.folder();
  const runtime = join(home, 'file');
  writeFileSync(runtime, '');
  const testEnvironment = { cwd: home, home, env: { XDG_RUNTIME_DIR: runtime }, platform: process.platform };
  const { address } = await harness.open({ environment: testEnvironment });
  expect(findRunningInstances(testEnvironment).running).toEqual([{ pid: process.pid, address }]);
});

test('a socket that does not accept connections yet is not found, and is removed if its process dies', async () => {
  const testEnvironment = harness.testEnvironment();
  const { address } = await harness.open({ environment: testEnvironment });
  const run = dirname(address);
  expect(readdirSync(run)).toEqual([basename(address)]);
  renameSync(address, openingPath(address));
  expect(findRunningInstances(testEnvironment)).toEqual({ running: [], ignored: [] });
  expect(readdirSync(run)).toEqual([basename(openingPath(address))]);
  const dead = spawnSync(process.execPath, ['-e', 'process.stdout.write(String(process.pid))']).stdout.toString();
  renameSync(openingPath(address), join(run, `${dead}-01234567.open`));
  expect(findRunningInstances(testEnvironment)).toEqual({ running: [], ignored: [] });
  expect(readdirSync(run)).toEqual([]);
});

test('sockets of dead processes are removed', async () => {
  const testEnvironment = harness.testEnvironment();
  const control = await harness.open({ environment: testEnvironment });
  const dead = spawnSync(process.execPath, ['-e', 'process.stdout.write(String(process.pid))']).stdout.toString();
  const left = join(dirname(control.address), `${dead}-01234567.sock`);
  renameSync(control.address, left);
  expect(findRunningInstances(testEnvironment)).toEqual({ running: [], ignored: [] });
  expect(readdirSync(dirname(left))).toEqual([]);
});

describe('a socket whose process is alive but does not listen', () => {
  /** Its process was killed, and its pid was reused. */
  const desert = async () => {
    const testEnvironment = harness.testEnvironment();
    const run = join(testEnvironment.home, 'run');
    mkdirSync(run, { mode: 0o700 });
    const script = `require('net').createServer().listen(process.argv[1], () => console.log('ready'))`;
    const killed = spawn(process.execPath, ['-e', script, join(run, 'x')], { env: processes.env() });
    await once(killed.stdout, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const address = join(run, `${process.pid}-01234567.sock`);
    renameSync(join(run, 'x'), address);
    return { testEnvironment, run, address };
  };

  test('is UNREACHABLE, and is kept while it may still be starting', async () => {
    const { testEnvironment, run, address } = await desert();
    const running = onlyRunning(testEnvironment);
    expect(running).toEqual({ pid: process.pid, address });
    await expect(sendControlRequest(running, 'mcp.list')).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: `The Switchboard process ${process.pid} does not listen: ECONNREFUSED.`,
      data: { pid: process.pid, method: 'mcp.list' },
    });
    expect(readdirSync(run)).toEqual([basename(address)]);
  });

  test.runIf(process.platform === 'linux')('is removed when it is old, without being listed as ignored', async () => {
    const { testEnvironment, run, address } = await desert();
    utimesSync(address, new Date(0), new Date(0));
    await expect(sendControlRequest(onlyRunning(testEnvironment), 'mcp.list')).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: `The Switchboard process ${process.pid} has exited. Its leftover socket is removed.`,
      data: { pid: process.pid, method: 'mcp.list', isDeserted: true },
    });
    expect([readdirSync(run), findRunningInstances(testEnvironment)]).toEqual([[], { running: [], ignored: [] }]);
  });

  test('is kept if it is not a socket, or where a refused connection may mean something else', async () => {
    const { run, address } = await desert();
    utimesSync(address, new Date(0), new Date(0));
    const file = join(run, 'file');
    writeFileSync(file, '');
    utimesSync(file, new Date(0), new Date(0));
    expect([
      removeStaleSocket(address, { now: Date.now(), platform: 'darwin' }),
      removeStaleSocket(file, { now: Date.now(), platform: 'linux' }),
      removeStaleSocket(join(run, 'gone'), { now: Date.now(), platform: 'linux' }),
    ]).toEqual([false, false, false]);
    expect(readdirSync(run).toSorted()).toEqual([basename(address), 'file'].toSorted());
  });
});
