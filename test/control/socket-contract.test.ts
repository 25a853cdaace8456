import type { AppError } from '../../src/base/errors.ts';
import type { Attach, AttachedClient } from '../../src/control/socket/control-connection.ts';
import { openSocket } from '../../src/upstream/transports/socket.ts';
import type { UpstreamTransport } from '../../src/upstream/transports/transport.ts';
import { type Frame, frameLength } from '../../src/wire/frame.ts';
import type { OutgoingMessage } from '../../src/wire/json/splice.ts';
import { testTransport } from '../contracts/transport.ts';
import { transportHarness } from '../contracts/transport-harness.ts';
import { attachRequest } from './attach-request.ts';
import { controlHarness } from './harness.ts';

const { overStdio } = transportHarness();
const harness = controlHarness();

testTransport('a private socket in front of stdio', {
  async open() {
    const server = await overStdio();
    const attach: Attach = (_, { send }) => relay(server.open, send);
    const { address } = await harness.open({ environment: harness.testEnvironment(), attach });
    return { open: openSocket({ address, where: 'the gateway', ...attachRequest(address, 'one') }), left: server.left };
  },
});

/** Forwards everything in both directions. */
function relay(
  open: Awaited<ReturnType<typeof overStdio>>['open'],
  send: (message: OutgoingMessage) => void,
): AttachedClient {
  const toMessage = (frame: Frame): OutgoingMessage => ({ pieces: frame, bytes: frameLength(frame) });
  const ignore = (_: AppError) => {};
  const opening: Promise<UpstreamTransport> = open({
    redact: (text: string) => text,
    frame: (frame) => send(toMessage(frame)),
    reportError: ignore,
    requestFailed: () => {},
    isPending: () => true,
    end: ignore,
  });
  return {
    receive: (frame) => void opening.then((transport) => transport.send(toMessage(frame))),
    end: () => void opening.then((transport) => transport.close()),
  };
}
