import { expect, test } from 'vitest';
import { serverEntry, stdioSettings } from '../../../test/config/server-entry.ts';
import { outgoingText } from '../../wire/json/splice.ts';
import type { OpenTransport } from '../transports/transport.ts';
import { connectServer } from './connect-server.ts';

const environment = { cwd: '/', home: '/', env: {}, platform: process.platform };
const INITIALIZE_RESULT = '{"protocolVersion":"2025-11-25","capabilities":{}}';

test.each(['7', '"a"', '9007199254740993', '-0', '"\\u0041"'])(
  'responds to a server request with its id %s as received',
  async (id) => {
    const responses: string[] = [];
    const open: OpenTransport = async (receiver) => ({
      where: 'memory',
      send(message, request) {
        const say = (text: string) => queueMicrotask(() => receiver.frame([Buffer.from(text)]));
        if (request?.method === 'initialize')
          return say(`{"jsonrpc":"2.0","id":${request.id},"result":${INITIALIZE_RESULT}}`);
        const text = outgoingText(message);
        if (text.includes('notifications/initialized')) say(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
        else responses.push(text);
      },
      queuedBytes: () => 0,
      nextSequence: () => 1,
      isUnsent: () => false,
      pause() {},
      resume() {},
      stderrTail: () => [],
      async close() {},
    });
    const server = await connectServer({ entry: serverEntry({ transport: stdioSettings() }), environment, open });
    await expect.poll(() => responses).toEqual([`{"jsonrpc":"2.0","id":${id},"result":{}}`]);
    await server.close();
  },
);
