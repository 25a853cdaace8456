import { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { officialServer } from '../interop/programs.ts';
import { gatewayHttpHarness } from './harness.ts';
import { accepted, kinds, officialClients } from './official-clients.ts';

const { openGateway } = gatewayHttpHarness();
// Closes them before the gateway.
const { connect } = officialClients();

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
