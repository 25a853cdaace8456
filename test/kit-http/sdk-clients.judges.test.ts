import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestAccess, openTestFront, TOKENS } from './front.ts';

const INFO = { name: 'sdk', version: '1.0.0' };
const CAPABILITIES = { elicitation: { form: {} } };
const ADA = { action: 'accept' as const, content: { name: 'Ada' } };
const KINDS = ['version 1', 'version 2 legacy', 'version 2 auto', 'version 2 modern'] as const;

interface Connected {
  listTools(): Promise<string[]>;
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<unknown>;
  /** How often the client was told that the tools have changed. */
  readonly listChanges: () => number;
  readonly era: string;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { progress: number }) => void;
}

type Fetch = typeof fetch;

/** Connects an official client that listens for changes of the tools and answers questions with a name. */
async function connect(
  kind: (typeof KINDS)[number],
  url: string,
  given: { fetch?: Fetch; token?: string } = {},
): Promise<Connected> {
  const headers = given.token === undefined ? {} : { authorization: `Bearer ${given.token}` };
  const options = { requestInit: { headers }, ...(given.fetch === undefined ? {} : { fetch: given.fetch }) };
  let changes = 0;
  if (kind === 'version 1') {
    const client = new ClientV1(INFO, { capabilities: CAPABILITIES });
    client.setRequestHandler(ElicitRequestSchema, () => ADA);
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes++;
    });
    // Its types do not know exactOptionalPropertyTypes.
    await client.connect(new TransportV1(new URL(url), options) as Parameters<typeof client.connect>[0]);
    onTestFinished(() => client.close());
    return {
      listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
      callTool: async (name, args = {}, call = {}) =>
        (await client.callTool({ name, arguments: args }, undefined, call)).content,
      listChanges: () => changes,
      era: 'legacy',
    };
  }
  const mode = ({ 'version 2 legacy': 'legacy', 'version 2 auto': 'auto' } as const)[kind as 'version 2 auto'];
  const client = new Client(INFO, {
    capabilities: CAPABILITIES,
    versionNegotiation: { mode: mode ?? { pin: '2026-07-28' } },
    listChanged: {
      tools: {
        autoRefresh: false,
        debounceMs: 0,
        onChanged: () => {
          changes++;
        },
      },
    },
  });
  client.setRequestHandler('elicitation/create', () => ADA);
  await client.connect(new StreamableHTTPClientTransport(new URL(url), options));
  onTestFinished(() => client.close());
  return {
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    callTool: async (name, args = {}, call = {}) => (await client.callTool({ name, arguments: args }, call)).content,
    listChanges: () => changes,
    era: String(client.getProtocolEra()),
  };
}

describe.each(KINDS)('the official client %s', (kind) => {
  test('lists and calls tools, with progress and a question to the user', async () => {
    const { url } = await openTestFront();
    const client = await connect(kind, url);
    expect(client.era).toBe(kind === 'version 2 auto' || kind === 'version 2 modern' ? 'modern' : 'legacy');
    expect(await client.listTools()).toContain('echo');
    expect(await client.callTool('echo', { message: 'hi' })).toEqual([{ type: 'text', text: 'hi' }]);
    const progress: number[] = [];
    const counted = client.callTool('count', {}, { onprogress: (step) => void progress.push(step.progress) });
    expect(await counted).toEqual([{ type: 'text', text: 'done' }]);
    expect(progress).toEqual([1, 2, 3]);
    expect(await client.callTool('ask')).toEqual([{ type: 'text', text: 'You are {"name":"Ada"}.' }]);
  });

  test('is told that the tools have changed', async () => {
    const { url, server } = await openTestFront();
    const client = await connect(kind, url);
    await client.listTools();
    let added = 0;
    await expect
      .poll(() => {
        server.tool(`added${++added}`, { description: 'New.' }, () => 'new');
        return client.listChanges();
      })
      .toBeGreaterThan(0);
    expect(await client.listTools()).toContain('added1');
  });

  test('cancels a call', async () => {
    const { url, waiting } = await openTestFront();
    const client = await connect(kind, url);
    const controller = new AbortController();
    const call = client.callTool('wait', {}, { signal: controller.signal });
    await expect.poll(() => waiting.length).toBe(1);
    controller.abort();
    await expect(call).rejects.toThrow();
    await expect.poll(() => waiting[0]?.signal.aborted).toBe(true);
  });

  test('waits for a call that takes longer than a proxy would allow without signs of life', async () => {
    const { url, waiting, front } = await openTestFront({ limits: { heartbeatMs: 50 } });
    const client = await connect(kind, url);
    await expect.poll(() => front.counts.streams).toBe(1);
    const call = client.callTool('wait');
    await expect.poll(() => waiting.length).toBe(1);
    await expect.poll(() => front.counts.streams).toBe(2);
    waiting[0]?.finish('at last');
    expect(await call).toEqual([{ type: 'text', text: 'at last' }]);
  });

  test('needs a token where one is required', async () => {
    const { url } = await openTestFront({ access: createTestAccess({ required: true }) });
    await expect(connect(kind, url)).rejects.toThrow();
    const client = await connect(kind, url, { token: TOKENS.alice });
    expect(await client.callTool('echo', { message: 'hi' })).toEqual([{ type: 'text', text: 'hi' }]);
  });

  test('shares the server with fifteen others', async () => {
    const { url } = await openTestFront();
    const clients = await Promise.all(Array.from({ length: 16 }, () => connect(kind, url)));
    const calls = clients.flatMap((client, index) =>
      Array.from({ length: 20 }, (_, count) => client.callTool('echo', { message: `${index}/${count}` })),
    );
    const expected = clients.flatMap((_, index) =>
      Array.from({ length: 20 }, (__, count) => [{ type: 'text', text: `${index}/${count}` }]),
    );
    expect(await Promise.all(calls)).toEqual(expected);
  });
});

test.each(['version 1', 'version 2 legacy'] as const)(
  'the official client %s resumes the response of a call after its connection was cut',
  async (kind) => {
    const { url, steps } = await openTestFront();
    const cuts: (() => void)[] = [];
    // Cuts the connection of an event stream, as a proxy or a network would.
    const cuttable: Fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.headers.get('content-type') !== 'text/event-stream' || response.body === null) return response;
      const reader = response.body.getReader();
      const body = new ReadableStream({
        start(controller) {
          const isPost = init?.method === 'POST';
          if (isPost) {
            cuts.push(() => {
              controller.error(new Error('cut'));
              void reader.cancel();
            });
          }
        },
        async pull(controller) {
          const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
          try {
            if (done) controller.close();
            else controller.enqueue(value);
          } catch {
            // The stream was cut.
          }
        },
      });
      return new Response(body, { status: response.status, headers: response.headers });
    };
    const client = await connect(kind, url, { fetch: cuttable });
    const progress: number[] = [];
    const call = client.callTool('steps', {}, { onprogress: (step) => void progress.push(step.progress) });
    await expect.poll(() => steps.length).toBe(1);
    steps[0]?.(1);
    await expect.poll(() => progress).toEqual([1]);
    cuts.at(-1)?.();
    steps[0]?.(2);
    steps[0]?.(3, true);
    expect(await call).toEqual([{ type: 'text', text: 'all steps done' }]);
    expect(progress).toEqual([1, 2, 3]);
  },
);
