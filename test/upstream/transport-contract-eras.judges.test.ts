import { testTransport } from '../contracts/transport.ts';
import { transportHarness } from '../contracts/transport-harness.ts';

const { overHttp } = transportHarness();

testTransport('Streamable HTTP without sessions', { open: () => overHttp('stateless') });
testTransport('HTTP of the modern era', { open: () => overHttp('modern') });
testTransport('HTTP with two addresses', { open: () => overHttp('legacy-sse') });
