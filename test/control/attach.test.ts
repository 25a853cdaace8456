import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { askRunning } from '../../src/control/ask.ts';
import type { Attached, WantedServer } from '../../src/control/guest.ts';
import { MAX_ASKING, MAX_ATTACHED } from '../../src/control/listen.ts';
import { openSocket } from '../../src/upstream/transports/socket.ts';
import { frameText } from '../../src/wire/frame.ts';
import type { Outgoing } from '../../src/wire/splice.ts';
import { controlWorld, onlyRunning } from './world.ts';

const world = controlWorld();

/** A switchboard whose servers say back what they hear; those called `quiet` say nothing. */
async function echoing() {
  const surroundings = world.surroundings();
  const received: string[] = [];
  const ended: string[] = [];
  const sends: ((message: Outgoing) => void)[] = [];
  const attach = ({ id: serverId }: WantedServer, send: (message: Outgoing) => void): Attached => {
    if (serverId === 'unknown')
      throw new AppError('USAGE', 'There is no server unknown.', { data: { nearest: ['echo'] } });
    sends.push(send);
    return {
      receive(frame) {
        const text = frameText(frame);
        received.push(text);
        if (text.includes('break')) throw new Error('It broke.');
        send(`{"heard":${text}}`);
      },
      end: () => void ended.push(serverId),
    };
  };
  const control = await world.open({ surroundings, attach });
  return { control, surroundings, received, ended, sends };
}

/** What a transport was told. */
function listener() {
  const heard: string[] = [];
  const ends: AppError[] = [];
  return {
    heard,
    ends,
    receiver: {
      redact: (text: string) => text,
      frame: (frame: readonly Buffer[]) => void heard.push(frameText(frame)),
      fault: (error: AppError) => void heard.push(error.message),
      failed: () => {},
      isAwaited: () => false,
      end: (error: AppError) => void ends.push(error),
    },
  };
}

function preface(server: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'mcp.attach', params: { server } });
}

describe('who cannot be let in is told why', () => {
  const refused = (address: string, line = preface('echo')) =>
    openSocket({ address, where: 'pid 4711', preface: line })(listener().receiver);

  test('nobody listens', async () => {
    const address = join(world.folder(), 'nothing.sock');
    await expect(refused(address)).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: `pid 4711 does not listen at ${address}.`,
    });
  });

  test('the server is unknown', async () => {
    const { control, ended } = await echoing();
    await expect(refused(control.address, preface('unknown'))).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: 'There is no server unknown.',
      data: { method: 'mcp.attach', rpcCode: -32602, rpcData: { nearest: ['echo'] } },
    });
    expect(ended).toEqual([]);
  });

  test('no server is named', async () => {
    const { control } = await echoing();
    await expect(refused(control.address, preface(7))).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: 'mcp.attach: say which server, by its id: {"server":"<id>"}.',
    });
  });

  test('nothing can be attached to', async () => {
    const { address } = await world.open({ surroundings: world.surroundings() });
    await expect(refused(address)).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: 'Nothing can be attached to here.',
      data: { rpcCode: -32601 },
    });
  });

  test('as many are attached as may; those who ask are answered all the same', async () => {
    const { control, surroundings } = await echoing();
    const open = openSocket({ address: control.address, where: 'it', preface: preface('echo') });
    const attached = await Promise.all(Array.from({ length: MAX_ATTACHED }, () => open(listener().receiver)));
    await expect(refused(control.address)).rejects.toMatchObject({ code: 'REQUEST_FAILED', data: { rpcCode: 1034 } });
    const running = onlyRunning(surroundings);
    const asked = Array.from({ length: MAX_ASKING }, () =>
      askRunning(running, 'mcp.list', undefined, { timeoutMs: 30_000 }),
    );
    expect(await Promise.all(asked)).toEqual(asked.map(() => ({ method: 'mcp.list' })));
    await Promise.all(attached.map((transport) => transport.close()));
    const again = await open(listener().receiver);
    await again.close();
  });
});

describe('who has been let in', () => {
  const attached = async () => {
    const switchboard = await echoing();
    const told = listener();
    const { address } = switchboard.control;
    const transport = await openSocket({ address, where: 'pid 4711', preface: preface('echo') })(told.receiver);
    return { ...switchboard, ...told, transport };
  };

  test('speaks and hears, in both directions and in order', async () => {
    const { transport, heard, sends } = await attached();
    for (const at of [1, 2, 3]) transport.send(`{"at":${at}}`);
    await expect.poll(() => heard).toEqual(['{"heard":{"at":1}}', '{"heard":{"at":2}}', '{"heard":{"at":3}}']);
    sends[0]?.('{"on":"its own"}');
    await expect.poll(() => heard.at(-1)).toBe('{"on":"its own"}');
    expect({ where: transport.where, lastWords: transport.lastWords() }).toEqual({ where: 'pid 4711', lastWords: [] });
    await transport.close();
  });

  test('may say what is too long for a request', async () => {
    const { transport, heard } = await attached();
    const text = JSON.stringify('x'.repeat(3 * 1024 * 1024));
    transport.send(text);
    await expect.poll(() => heard.map(({ length }) => length)).toEqual([`{"heard":${text}}`.length]);
    await transport.close();
  });

  test('leaves by closing: the switchboard hears of it once, and what was said last has arrived', async () => {
    const { transport, heard, received, ended, ends, sends } = await attached();
    transport.send('{"the":"last"}');
    await Promise.all([transport.close(), transport.close()]);
    await expect.poll(() => ended).toEqual(['echo']);
    sends[0]?.('{"too":"late"}');
    expect({ heard, received, ends }).toEqual({ heard: [], received: ['{"the":"last"}'], ends: [] });
  });

  test('is told when the switchboard ends', async () => {
    const { control, ended, ends } = await attached();
    await control.close();
    await expect.poll(() => ends).toEqual([new AppError('CONNECTION_CLOSED', 'pid 4711 closed the connection.')]);
    expect({ ended, code: ends[0]?.code }).toEqual({ ended: ['echo'], code: 'CONNECTION_CLOSED' });
  });

  test('ends its own connection with what breaks us, and no other', async () => {
    const one = await attached();
    const other = listener();
    const { address } = one.control;
    const transport = await openSocket({ address, where: 'it', preface: preface('other') })(other.receiver);
    one.transport.send('{"please":"break"}');
    await expect.poll(() => one.ends.map(({ code }) => code)).toEqual(['CONNECTION_CLOSED']);
    transport.send('{}');
    await expect.poll(() => other.heard).toEqual(['{"heard":{}}']);
    expect(one.ended).toEqual(['echo']);
    await transport.close();
  });

  test('may have begun to speak before it was let in', async () => {
    const { control } = await echoing();
    const { socket, next } = world.dial(control.address);
    socket.write(`${preface('echo')}\n{"early":true}\n`);
    expect([await next(), await next()]).toEqual([{ jsonrpc: '2.0', id: 0, result: {} }, { heard: { early: true } }]);
  });
});
