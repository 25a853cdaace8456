import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { gatewayFor, longTimeoutEnv, switchboard } from './programs.ts';
import { recordingServer } from './recording-server.ts';

const processes = trackProcesses();
const behaved = fixture('well-behaved');
const INFO = { name: 'interop', version: '1.0.0' };

/** The SDK probes an unknown transport on the same connection that it will use. */
class OwnTransport extends StdioClientTransport {}

describe.each([
  ['in a separate process', StdioClientTransport],
  ['in the same process', OwnTransport],
])('the official client that first requests the newest protocol, %s,', (_, Transport) => {
  const connect = async (program: { readonly command: string; readonly args: readonly string[] }) => {
    const env = processes.env(longTimeoutEnv);
    const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new Transport({ ...program, args: [...program.args], env, stderr: 'ignore' }));
    return client;
  };

  test('agrees with the gateway on the newest version', async () => {
    using gateway = gatewayFor({ behaved });
    const client = await connect(gateway);
    expect([client.getProtocolEra(), client.getNegotiatedProtocolVersion()]).toEqual(['modern', '2026-07-28']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      'behaved__echo',
      'behaved__add',
      'behaved__slow',
    ]);
    const call = { name: 'behaved__add', arguments: { a: 1, b: 2 } };
    expect(await client.callTool(call)).toMatchObject({ structuredContent: { sum: 3 } });
    await client.close();
  });

  test('agrees with a single server on the newest version, and the server gets what a legacy client would send', async () => {
    using gateway = gatewayFor();
    const { server, received } = recordingServer(gateway.folder);
    const client = await connect(switchboard('--', server.command, ...server.args));
    expect([client.getProtocolEra(), client.getNegotiatedProtocolVersion()]).toEqual(['modern', '2026-07-28']);
    expect(client.getServerVersion()).toEqual({ name: 'records-input', version: '1.0.0' });
    expect(await client.callTool({ name: 'echo', arguments: { text: 'hi' } })).toMatchObject({
      content: [{ type: 'text', text: 'hi' }],
    });
    // A probe in a separate process starts the server too.
    expect(
      received()
        .slice(-3)
        .map(({ method, params }) => [method, params]),
    ).toEqual([
      ['initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO }],
      ['notifications/initialized', undefined],
      ['tools/call', { name: 'echo', arguments: { text: 'hi' }, _meta: {} }],
    ]);
    await client.close();
  });
});
