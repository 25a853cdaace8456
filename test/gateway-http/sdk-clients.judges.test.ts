import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';
import { gatewayHttpHarness } from './harness.ts';

const { openGateway } = gatewayHttpHarness();
const INFO = { name: 'interop', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };
const kinds = ['v1', 'v2', 'v2 auto', 'v2 modern'] as const;
type Kind = (typeof kinds)[number];

const open: { close(): Promise<void> }[] = [];
// Before the gateway closes.
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

const accepted = (name: string) => ({ action: 'accept' as const, content: { name } });

interface OpenedClient {
  readonly sdk: Client | ClientV1;
  call(
    name: string,
    args: Record<string, unknown>,
    onprogress?: (progress: { progress: number }) => void,
  ): Promise<unknown>;
}

/** Connects an official client that answers every question with its own name. */
async function connect(kind: Kind, url: string, name: string): Promise<OpenedClient> {
  if (kind === 'v1') {
    const sdk = new ClientV1(INFO, { capabilities: CAPABILITIES });
    sdk.setRequestHandler(ElicitRequestSchema, () => accepted(name));
    // The SDK's own types do not agree about optional members.
    await sdk.connect(new TransportV1(new URL(url)) as unknown as Parameters<ClientV1['connect']>[0]);
    open.push(sdk);
    return {
      sdk,
      call: (tool, args, onprogress) =>
        sdk.callTool({ name: tool, arguments: args }, undefined, onprogress ? { onprogress } : {}),
    };
  }
  const mode = { v2: 'legacy', 'v2 auto': 'auto', 'v2 modern': { pin: '2026-07-28' } } as const;
  const sdk = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: mode[kind] } });
  sdk.setRequestHandler('elicitation/create', () => accepted(name));
  await sdk.connect(new StreamableHTTPClientTransport(new URL(url)));
  open.push(sdk);
  return {
    sdk,
    call: (tool, args, onprogress) => sdk.callTool({ name: tool, arguments: args }, onprogress ? { onprogress } : {}),
  };
}

test('the official clients of both versions and eras use one gateway at the same time', async () => {
  const { url } = await openGateway({
    everything: officialServer('everything'),
    flood: fixture('floods-progress'),
    ...Object.fromEntries(kinds.map((kind) => [`ask-${kind.replace(' ', '-')}`, fixture('requests-elicitation')])),
  });
  const clients = await Promise.all(kinds.map(async (kind) => ({ kind, client: await connect(kind, url, kind) })));
  await Promise.all(
    clients.map(async ({ kind, client: { sdk, call } }) => {
      const { tools } = await sdk.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['everything__echo', 'flood__flood']));
      const sums = await Promise.all(
        Array.from({ length: 20 }, (_, at) => call('everything__get-sum', { a: at, b: kinds.indexOf(kind) })),
      );
      expect(sums.map((result) => JSON.stringify(result))).toEqual(
        Array.from({ length: 20 }, (_, at) => expect.stringContaining(String(at + kinds.indexOf(kind)))),
      );
      const seen: number[] = [];
      await call('flood__flood', { count: 5 }, ({ progress }) => seen.push(progress));
      expect(seen).toEqual([...seen].sort((a, b) => a - b));
      expect(await call(`ask-${kind.replace(' ', '-')}__ask`, {})).toMatchObject({
        content: [{ type: 'text', text: expect.stringContaining(JSON.stringify(accepted(kind))) }],
      });
      const { resources } = await sdk.listResources();
      expect(resources.length).toBeGreaterThan(1);
      const { uri } = resources[0] ?? { uri: '' };
      expect((await sdk.readResource({ uri })).contents).toHaveLength(1);
      const { prompts } = await sdk.listPrompts();
      expect(prompts.length).toBeGreaterThan(0);
    }),
  );
});

test.each([
  ['v2 auto', 'modern'],
  ['v2 modern', 'modern'],
  ['v2', 'legacy'],
] as const)('the official client %s speaks the %s era', async (kind, era) => {
  const { url } = await openGateway({ one: fixture('well-behaved') });
  const { sdk, call } = await connect(kind, url, 'x');
  expect(sdk instanceof Client && sdk.getProtocolEra()).toBe(era);
  expect(await call('one__add', { a: 1, b: 2 })).toMatchObject({ structuredContent: { sum: 3 } });
});
