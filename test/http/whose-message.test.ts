import { describe, expect, test } from 'vitest';
import type { TestClient } from '../gateway/harness.ts';
import { statusOf } from '../gateway/server-status.ts';
import { verifies } from '../verifies.ts';
import { at, httpHarness, textOf } from './harness.ts';

const { openGateway, openFixture } = httpHarness();

describe('two clients of one HTTP server', () => {
  for (const [era, ...fixture] of [
    ['legacy', 'well-behaved', '--logs', 'yes'],
    ['modern', 'modern', '--answers', 'sse', '--logs', 'yes'],
  ] as const) {
    verifies('gateway:message:stream', `each get the log messages of their own calls (${era})`, async () => {
      const [name, ...options] = fixture;
      const server = await openFixture(name, ...options);
      const { connect, gateway } = openGateway({ far: at(server.url) });
      const clients = [await connect(), await connect(), await connect()];
      for (const client of clients) await client.request('logging/setLevel', { level: 'debug' });
      const calls = clients.map((client, number) => client.call('far__log', { text: `of ${number}`, ms: 300 }));
      expect((await Promise.all(calls)).map(textOf)).toEqual(['logged', 'logged', 'logged']);
      expect(clients.map(logs)).toEqual([['of 0'], ['of 1'], ['of 2']]);
      expect(statusOf(gateway, 'far').droppedMessages).toBeUndefined();
    });

    test(`each are asked about their own calls (${era})`, async () => {
      const [name, ...options] = fixture;
      const server = await openFixture(name, ...options);
      const { connect, gateway } = openGateway({ far: at(server.url) });
      const hello = { capabilities: { elicitation: {} } };
      const clients = [await connect(hello), await connect(hello)];
      for (const [number, client] of clients.entries())
        client.onRequest = () => ({ result: { action: 'accept', content: { name: `client ${number}` } } });
      const answers = await Promise.all(clients.map((client) => client.call('far__ask')));
      expect(answers.map((answer) => JSON.parse(textOf(answer)).content)).toEqual([
        { name: 'client 0' },
        { name: 'client 1' },
      ]);
      expect(statusOf(gateway, 'far').processes).toBeUndefined();
    });
  }
});

function logs(client: TestClient): unknown[] {
  return client.notifications('notifications/message').map(({ params }) => params?.['data']);
}
