import { testTransport } from '../contracts/transport.ts';
import { transportWorld } from '../contracts/transport-world.ts';

const { overHttp } = transportWorld();

testTransport('Streamable HTTP without sessions', { open: () => overHttp('stateless') });
testTransport('HTTP of the modern era', { open: () => overHttp('modern') });
testTransport('HTTP with two addresses', { open: () => overHttp('legacy-sse') });
