import { expect } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway } = gatewayHttpHarness();
const eras = ['legacy', 'modern'] as const;

verifies(
  'gateway:http:stopped-call',
  'a call that does not finish before the gateway stops tells whether its server may have done it',
  async () => {
    const { url, front, gateway } = await openGateway({ one: fixture('well-behaved') });
    const calls = await Promise.all(
      eras.map(async (era) => {
        const client = new RawClient(url, era);
        if (era === 'legacy') await client.initialize();
        const call = client.call('one__slow', { ms: 60_000 });
        // The call has reached the server when a later one is answered.
        await client.call('one__echo', { text: 'x' });
        return { call };
      }),
    );
    await front.close({ drainMs: 50, endCalls: () => gateway.close() });
    for (const { call } of calls)
      expect((await call).error).toMatchObject({
        message: expect.stringContaining('The server may have done this; check before repeating.'),
        data: { retryable: false },
      });
  },
);
