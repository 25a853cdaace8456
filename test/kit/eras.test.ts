import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createServer } from '../../src/kit/index.ts';
import { createTestClient, type TestClientOptions } from '../../src/kit/testing.ts';

const info = { name: 'test', version: '1.0.0', instructions: 'Ask me anything.' };
const form = z.object({ name: z.string() });

function createEvent<Value>() {
  let happen: (value: Value) => void = () => {};
  const happened = new Promise<Value>((resolve) => {
    happen = resolve;
  });
  return { happen, happened };
}

describe.each<NonNullable<TestClientOptions['era']>>(['legacy', 'modern'])('in the %s era', (era) => {
  test('progress arrives in order and before the result', async () => {
    const server = createServer(info).tool('work', { description: '' }, (_, context) => {
      for (const progress of [1, 2, 3]) context.progress({ progress, total: 3, message: `step ${progress}` });
      return 'done';
    });
    const client = await createTestClient(server, { era });
    const events: unknown[] = [];
    const result = await client.callTool('work', {}, { onProgress: (progress) => events.push(progress) });
    expect(events).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
    expect(result.content).toEqual([{ type: 'text', text: 'done' }]);
    await client.close();
  });

  test('without a token, no progress is sent', async () => {
    const server = createServer(info).tool('work', { description: '' }, (_, context) => {
      context.progress({ progress: 1 });
      return 'done';
    });
    const client = await createTestClient(server, { era });
    expect((await client.callTool('work')).content).toEqual([{ type: 'text', text: 'done' }]);
    await client.close();
  });

  test('a cancelled call aborts its signal', async () => {
    const started = createEvent<AbortSignal>();
    const server = createServer(info).tool('wait', { description: '' }, async (_, { signal }) => {
      started.happen(signal);
      await once(signal, 'abort');
      return 'too late';
    });
    const client = await createTestClient(server, { era });
    const stop = new AbortController();
    const call = client.callTool('wait', {}, { signal: stop.signal });
    const signal = await started.happened;
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
    await client.close();
    expect(signal.reason).toMatchObject({ code: 'CANCELLED' });
  });

  test('a handler that elicits is suspended, runs once, and continues with the answer', async () => {
    let runs = 0;
    const server = createServer(info).tool('greet', { description: '' }, async (_, context) => {
      runs++;
      const first = await context.elicit({ message: 'First name?', schema: form });
      if (first.action !== 'accept') return first.action;
      const second = await context.elicit({ message: 'Last name?', schema: form });
      return second.action === 'accept' ? `${first.content.name} ${second.content.name}` : second.action;
    });
    const answers = ['Ada', 'Lovelace'];
    const asked: string[] = [];
    const client = await createTestClient(server, {
      era,
      onElicit: ({ message, requestedSchema }) => {
        asked.push(message);
        expect(requestedSchema).toMatchObject({ type: 'object', required: ['name'] });
        return { action: 'accept', content: { name: answers.shift() } };
      },
    });
    expect((await client.callTool('greet')).content).toEqual([{ type: 'text', text: 'Ada Lovelace' }]);
    expect(asked).toEqual(['First name?', 'Last name?']);
    expect(runs).toBe(1);
    await client.close();
  });

  test('two concurrent elicitations are both answered', async () => {
    const server = createServer(info).tool('pair', { description: '' }, async (_, context) => {
      const results = await Promise.all(['a', 'b'].map((message) => context.elicit({ message, schema: form })));
      return results.map((result) => (result.action === 'accept' ? result.content.name : '?')).join('+');
    });
    const client = await createTestClient(server, {
      era,
      onElicit: ({ message }) => ({ action: 'accept', content: { name: message.toUpperCase() } }),
    });
    expect((await client.callTool('pair')).content).toEqual([{ type: 'text', text: 'A+B' }]);
    await client.close();
  });

  test.each(['decline', 'cancel'])('the answer "%s" reaches the handler', async (action) => {
    const server = createServer(info).tool(
      'ask',
      { description: '' },
      async (_, context) => (await context.elicit({ message: '?', schema: form })).action,
    );
    const client = await createTestClient(server, { era, onElicit: () => ({ action }) });
    expect((await client.callTool('ask')).content).toEqual([{ type: 'text', text: action }]);
    await client.close();
  });

  test.each([
    ['an acceptance without content', { action: 'accept' }],
    ['content that does not match the schema', { action: 'accept', content: { name: 5 } }],
    ['an empty action', { action: '' }],
    ['an unknown action', { action: 'yes' }],
  ])('%s is an error and never an acceptance', async (_, answer) => {
    const server = createServer(info).tool(
      'ask',
      { description: '' },
      async (_args, context) => (await context.elicit({ message: '?', schema: form })).action,
    );
    const client = await createTestClient(server, { era, onElicit: () => answer });
    expect(await client.callTool('ask')).toMatchObject({ isError: true });
    await client.close();
  });

  test('log messages reach a client that requested them', async () => {
    const server = createServer(info).tool('work', { description: '' }, (_, context) => {
      context.log('debug', { step: 1 }, 'worker');
      context.log('error', 'broken');
      return 'done';
    });
    const messages: unknown[] = [];
    const client = await createTestClient(server, { era, onLog: (message) => messages.push(message) });
    await client.callTool('work');
    expect(messages).toEqual([
      { level: 'debug', logger: 'worker', data: { step: 1 } },
      { level: 'error', data: 'broken' },
    ]);
    await client.close();
  });

  test('tool changes are announced, and several at once only once', async () => {
    const server = createServer(info).tool('first', { description: '' }, () => '1');
    let changes = 0;
    const changed = createEvent<void>();
    const client = await createTestClient(server, {
      era,
      onToolsChanged: () => {
        changes++;
        changed.happen();
      },
    });
    await client.listTools();
    server.tool('second', { description: '' }, () => '2').tool('third', { description: '' }, () => '3');
    expect(server.removeTool('first')).toBe(true);
    expect(server.removeTool('first')).toBe(false);
    await changed.happened;
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['second', 'third']);
    expect(changes).toBe(1);
    await client.close();
  });

  test('a client that disconnects during an elicitation ends the handler', async () => {
    let failure: unknown;
    const asked = createEvent<void>();
    const server = createServer(info).tool('ask', { description: '' }, async (_, context) => {
      try {
        await context.elicit({ message: '?', schema: form });
      } catch (error) {
        failure = error;
      }
      return 'ended';
    });
    const client = await createTestClient(server, {
      era,
      onElicit: () => {
        asked.happen();
        return new Promise(() => {});
      },
    });
    client.callTool('ask').catch(() => undefined);
    await asked.happened;
    await client.close();
    expect(failure).toMatchObject({ code: 'CONNECTION_CLOSED' });
  });
});

test('a legacy client without elicitation gets an error result, unless the handler catches the error', async () => {
  const server = createServer(info).tool(
    'ask',
    { description: '' },
    async (_, context) => (await context.elicit({ message: '?', schema: form })).action,
  );
  const client = await createTestClient(server);
  expect(await client.callTool('ask')).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('did not declare elicitation') }],
  });
  await client.close();
});

test('a modern client without elicitation gets the error defined by the protocol', async () => {
  const server = createServer(info).tool(
    'ask',
    { description: '' },
    async (_, context) => (await context.elicit({ message: '?', schema: form })).action,
  );
  const client = await createTestClient(server, { era: 'modern' });
  await expect(client.callTool('ask')).rejects.toMatchObject({
    data: { rpcCode: -32021, rpcData: { requiredCapabilities: { elicitation: {} } } },
  });
  await client.close();
});

describe('the test client', () => {
  const asks = createServer(info).tool(
    'ask',
    { description: '' },
    async (_, context) => (await context.elicit({ message: '?', schema: form })).action,
  );

  test.each(['legacy', 'modern'] as const)(
    'ends a call whose elicitation gets no answer, in the %s era',
    async (era) => {
      const onElicit = (() => undefined) as unknown as NonNullable<TestClientOptions['onElicit']>;
      const client = await createTestClient(asks, { era, onElicit });
      const outcome = await client.callTool('ask').then(
        (result) => result.isError,
        (error) => error.code,
      );
      expect(outcome).toBe(era === 'legacy' ? true : 'USAGE');
      await client.close();
    },
  );

  test('rejects something that is not a server and an unknown era', async () => {
    const create = createTestClient as unknown as (...args: unknown[]) => Promise<unknown>;
    await expect(create(() => asks)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(create(asks, { era: 'moderne' })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

test('an assertion that fails in a listener of the test client fails the test', async () => {
  const server = createServer(info).tool('talk', { description: '' }, (_, { log }) => {
    log('error', 'x');
    return 'done';
  });
  const onLog = () => {
    throw new Error('not what I expected');
  };
  const client = await createTestClient(server, { onLog });
  await expect(client.callTool('talk')).rejects.toThrow('not what I expected');
  await expect(client.close()).rejects.toThrow('not what I expected');
});

test('a modern handler that elicits after its client has disconnected gets an error', async () => {
  const outcomes: unknown[] = [];
  const started = createEvent<void>();
  const server = createServer(info).tool('late', { description: '' }, async (_, { elicit, signal }) => {
    started.happen();
    await once(signal, 'abort');
    await elicit({ message: '?', schema: form }).catch((error) => outcomes.push(error.code));
    outcomes.push(signal.aborted);
    return 'ended';
  });
  const client = await createTestClient(server, { era: 'modern', onElicit: () => ({ action: 'accept' }) });
  client.callTool('late').catch(() => undefined);
  await started.happened;
  await client.close();
  await expect.poll(() => outcomes).toEqual(['CONNECTION_CLOSED', true]);
});
