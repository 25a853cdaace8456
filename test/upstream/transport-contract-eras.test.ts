import { vi } from 'vitest';
import { testTransport } from '../contracts/transport.ts';
import { transportWorld } from '../contracts/transport-world.ts';

vi.setConfig({ testTimeout: 15_000 });

const { overHttp } = transportWorld();

testTransport('Streamable HTTP without sessions', { open: () => overHttp('stateless') });
testTransport('HTTP of the modern era', { open: () => overHttp('modern') });
testTransport('HTTP with two addresses', { open: () => overHttp('two-addresses') });
