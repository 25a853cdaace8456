import { testTransport } from '../contracts/transport.ts';
import { transportWorld } from '../contracts/transport-world.ts';

const { overHttp, overStdio } = transportWorld();

testTransport('stdio', { open: overStdio });
testTransport('Streamable HTTP, answers as JSON', { open: () => overHttp('json') });
testTransport('Streamable HTTP, answers as events', { open: () => overHttp('events') });
