import { mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import type { AttachedClient, AttachedConnection, AttachTarget } from '../../src/control/socket/control-connection.ts';
import { MAX_ATTACHED, MAX_CONNECTIONS } from '../../src/control/socket/control-connections.ts';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import { findRunningInstances } from '../../src/control/socket/running-instances.ts';
import { openSocket } from '../../src/upstream/transports/socket.ts';
import { frameText } from '../../src/wire/frame.ts';
import type { OutgoingMessage } from '../../src/wire/json/splice.ts';
import { attachRequest, proofFor } from './attach-request.ts';
import { controlHarness, onlyRunning } from './harness.ts';

const harness = controlHarness();

/** A Switchboard process whose servers echo what they receive. Those called `quiet` send nothing. */
async function echoing() {
  const testEnvironment = harness.testEnvironment();
  const received: string[] = [];
  const ended: string[] = [];
  const sends: ((message: OutgoingMessage) => void)[] = [];
  const attach = ({ id: serverId }: AttachTarget, { send, close }: AttachedConnection): AttachedClient => {
    if (serverId === 'unknown')
      throw new AppError('USAGE', 'There is no server unknown.', { data: { nearest: ['echo'] } });
    sends.push(send);
    return {
      receive(frame) {
        const text = frameText(frame);
        received.push(text);
        if (text.includes('break')) throw new Error('It broke.');
        send(`{"heard":${text}}`);
        if (text.includes('goodbye')) close();
      },
      end: () => void ended.push(serverId),
    };
  };
  const control = await harness.open({ environment: testEnvironment, attach });
  return { control, testEnvironment, received, ended, sends };
}

/** The messages that a transport received. */
function listener() {
  const lines: string[] = [];
  const ends: AppError[] = [];
  return {
    lines,
    ends,
    receiver: {
      redact: (text: string) => text,
      frame: (frame: readonly Buffer[]) => void lines.push(frameText(frame)),
      reportError: (error: AppError) => void lines.push(error.message),
      requestFailed: () => {},
      isPending: () => false,
      end: (error: AppError) => void ends.push(error),
    },
  };
}

function preface(server: unknown, more: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'mcp.attach', params: { server, ...more } });
}

describe('an attach request is refused with a reason', () => {
  const refused = (address: string, server: unknown = 'echo') =>
    openSocket({ address, where: 'pid 4711', ...attachRequest(address, server) })(listener().receiver);

  test('if nothing listens', async () => {
    const address = join(harness.folder(), 'nothing.sock');
    await expect(refused(address)).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: `pid 4711 does not listen at ${address}.`,
    });
  });

  test('if the server is unknown', async () => {
    const { control, ended } = await echoing();
    await expect(refused(control.address, 'unknown')).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: 'There is no server unknown.',
      data: { method: 'mcp.attach', rpcCode: -32602, rpcData: { nearest: ['echo'] } },
    });
    expect(ended).toEqual([]);
  });

  test('if no server is named', async () => {
    const { control } = await echoing();
    await expect(refused(control.address, 7)).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: 'mcp.attach: name the server by its id: {"server":"<id>"}.',
    });
  });

  test('if the instance attaches no clients', async () => {
    const { address } = await harness.open({ environment: harness.testEnvironment() });
    await expect(refused(address)).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: 'This process does not support attached clients.',
      data: { rpcCode: -32601 },
    });
  });

  test('if the limit is reached, while other requests are still answered', async () => {
    const { control, testEnvironment } = await echoing();
    const open = openSocket({ address: control.address, where: 'it', ...attachRequest(control.address, 'echo') });
    // One after the other: each has a few seconds to answer the challenge, which is too short for all on a slow machine.
    const attached: Awaited<ReturnType<typeof open>>[] = [];
    while (attached.length < MAX_ATTACHED) attached.push(await open(listener().receiver));
    await expect(refused(control.address)).rejects.toMatchObject({ code: 'REQUEST_FAILED', data: { rpcCode: 1034 } });
    const running = onlyRunning(testEnvironment);
    const asked = Array.from({ length: MAX_CONNECTIONS }, () =>
      sendControlRequest(running, 'mcp.list', undefined, { timeoutMs: 30_000 }),
    );
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ method: 'mcp.list' })));
    await Promise.all(attached.map((transport) => transport.close()));
    const again = await open(listener().receiver);
    await again.close();
  });
});

test('a socket that had to be in a temporary folder attaches no client, but still reports the state', async () => {
  const home = join(harness.folder(), 'x'.repeat(200));
  const testEnvironment = {
    ...harness.testEnvironment(home),
    env: { SWITCHBOARD_HOME: home, TMPDIR: harness.folder() },
  };
  const { address } = await harness.open({ environment: testEnvironment, attach: () => ({ receive() {}, end() {} }) });
  const open = openSocket({ address, where: 'pid 4711', ...attachRequest(address, 'echo') });
  await expect(open(listener().receiver)).rejects.toMatchObject({ code: 'REQUEST_FAILED', data: { rpcCode: -32601 } });
  expect(await sendControlRequest(onlyRunning(testEnvironment), 'mcp.list')).toEqual({ method: 'mcp.list' });
});

describe('an attached client', () => {
  const attached = async () => {
    const switchboard = await echoing();
    const reported = listener();
    const { address } = switchboard.control;
    const transport = await openSocket({ address, where: 'pid 4711', ...attachRequest(address, 'echo') })(
      reported.receiver,
    );
    return { ...switchboard, ...reported, transport };
  };

  test('sends and receives messages in order', async () => {
    const { transport, lines, sends } = await attached();
    for (const at of [1, 2, 3]) transport.send(`{"at":${at}}`);
    await expect.poll(() => lines).toEqual(['{"heard":{"at":1}}', '{"heard":{"at":2}}', '{"heard":{"at":3}}']);
    sends[0]?.('{"on":"its own"}');
    await expect.poll(() => lines.at(-1)).toBe('{"on":"its own"}');
    expect({ where: transport.where, lastWords: transport.stderrTail() }).toEqual({ where: 'pid 4711', lastWords: [] });
    await transport.close();
  });

  test('receives the last message before the server closes its connection', async () => {
    const { transport, lines, ended, ends } = await attached();
    transport.send('"goodbye"');
    await expect.poll(() => ends.map(({ code }) => code)).toEqual(['CONNECTION_CLOSED']);
    expect(lines).toEqual(['{"heard":"goodbye"}']);
    await expect.poll(() => ended).toEqual(['echo']);
    await transport.close();
  });

  test('may send messages that are too long for a request', async () => {
    const { transport, lines } = await attached();
    const text = JSON.stringify('x'.repeat(3 * 1024 * 1024));
    transport.send(text);
    await expect.poll(() => lines.map(({ length }) => length)).toEqual([`{"heard":${text}}`.length]);
    await transport.close();
  });

  test('disconnects once, after its last message has arrived', async () => {
    const { transport, lines, received, ended, ends, sends } = await attached();
    transport.send('{"the":"last"}');
    await Promise.all([transport.close(), transport.close()]);
    await expect.poll(() => ended).toEqual(['echo']);
    sends[0]?.('{"too":"late"}');
    expect({ lines, received, ends }).toEqual({ lines: [], received: ['{"the":"last"}'], ends: [] });
  });

  test('gets CONNECTION_CLOSED when the instance closes', async () => {
    const { control, ended, ends } = await attached();
    await control.close();
    await expect.poll(() => ends).toEqual([new AppError('CONNECTION_CLOSED', 'pid 4711 closed the connection.')]);
    expect({ ended, code: ends[0]?.code }).toEqual({ ended: ['echo'], code: 'CONNECTION_CLOSED' });
  });

  test('loses only its own connection if its message makes our handler throw', async () => {
    const one = await attached();
    const other = listener();
    const { address } = one.control;
    const transport = await openSocket({ address, where: 'it', ...attachRequest(address, 'other') })(other.receiver);
    one.transport.send('{"please":"break"}');
    await expect.poll(() => one.ends.map(({ code }) => code)).toEqual(['CONNECTION_CLOSED']);
    transport.send('{}');
    await expect.poll(() => other.lines).toEqual(['{"heard":{}}']);
    expect(one.ended).toEqual(['echo']);
    await transport.close();
  });

  test('may send messages before it is attached', async () => {
    const { control } = await echoing();
    const { socket, next } = harness.dial(control.address);
    socket.write(`${preface('echo')}\n`);
    const proof = proofFor(control.address, await next());
    socket.write(`${preface('echo', { proof })}\n{"early":true}\n`);
    expect([await next(), await next()]).toEqual([{ jsonrpc: '2.0', id: 0, result: {} }, { heard: { early: true } }]);
  });
});

describe.skipIf(process.platform === 'win32')('a client that cannot write to the socket folder', () => {
  const CHALLENGE = { error: { code: expect.any(Number), message: expect.stringContaining('create the empty file') } };
  const notThere = { error: { message: expect.stringContaining('the socket does not exist') } };
  const asked = async () => {
    const switchboard = await echoing();
    const { address } = switchboard.control;
    const { socket, next } = harness.dial(address);
    const say = (more: object = {}) => {
      socket.write(`${preface('echo', more)}\n`);
      return next();
    };
    const answer = await say();
    const file = (name: string) => join(dirname(address), name);
    const left = () => readdirSync(dirname(address)).filter((name) => !name.endsWith('.sock'));
    return { ...switchboard, socket, say, answer, file, left, name: String(Object(answer).error?.data?.proof) };
  };

  test('gets a challenge and is not attached', async () => {
    const { answer, name, say, sends } = await asked();
    expect(answer).toMatchObject(CHALLENGE);
    expect(name).toMatch(/^[0-9a-f]{32}\.proof$/);
    expect(await say({ proof: name })).toMatchObject(notThere);
    expect(sends).toEqual([]);
  });

  test('can still request the status', async () => {
    const { testEnvironment } = await asked();
    expect(await sendControlRequest(onlyRunning(testEnvironment), 'mcp.list')).toEqual({ method: 'mcp.list' });
  });

  test.each([
    ['a symlink', (place: string) => symlinkSync('/etc/hostname', place)],
    ['a folder', (place: string) => mkdirSync(place)],
  ])('is not attached with %s as proof', async (_, make) => {
    const { name, say, file } = await asked();
    make(file(name));
    expect(await say({ proof: name })).toMatchObject(notThere);
  });

  test('is not attached with the proof of an earlier challenge or with a used one', async () => {
    const { name, say, file, control } = await asked();
    writeFileSync(file(name), '', { flag: 'wx' });
    const second = await say();
    expect(await say({ proof: name })).toMatchObject(notThere);
    expect(Object(second).error.data.proof).not.toBe(name);
    const proof = proofFor(control.address, await say());
    expect(await say({ proof })).toEqual({ jsonrpc: '2.0', id: 0, result: {} });
    const other = harness.dial(control.address);
    other.socket.write(`${preface('echo', { proof })}\n`);
    expect(await other.next()).toMatchObject(notThere);
  });

  test('leaves no file behind, however it ends', async () => {
    const { name, file, left, socket, testEnvironment } = await asked();
    writeFileSync(file(name), '', { flag: 'wx' });
    // Neither listed as a socket nor reported as unexpected.
    expect(findRunningInstances(testEnvironment)).toMatchObject({ running: [{ pid: process.pid }], ignored: [] });
    expect(left()).toEqual([name]);
    socket.destroy();
    await expect.poll(left).toEqual([]);
    const [old, fresh] = ['a', 'b'].map((letter) => `${letter.repeat(32)}.proof`);
    for (const each of [old, fresh]) writeFileSync(file(String(each)), '');
    utimesSync(file(String(old)), new Date(0), new Date(0));
    await harness.open({ environment: testEnvironment });
    expect(left()).toEqual([fresh]);
  });

  test('that does not answer challenges is refused with a request to update', async () => {
    const { control, sends } = await echoing();
    const open = openSocket({ address: control.address, where: 'it', preface: preface('echo') });
    await expect(open(listener().receiver)).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: expect.stringContaining('A Switchboard that cannot do this is too old: update it.'),
    });
    expect(sends).toEqual([]);
  });
});
