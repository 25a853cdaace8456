import { testTransport } from '../contracts/transport.ts';
import { transportHarness } from '../contracts/transport-harness.ts';

const { overHttp, overStdio } = transportHarness();

testTransport('stdio', { open: () => overStdio() });
testTransport('stdio of the modern era', { open: () => overStdio('stdio-modern') });
testTransport('Streamable HTTP, answers as JSON', { open: () => overHttp('json') });
testTransport('Streamable HTTP, answers as events', { open: () => overHttp('events') });
