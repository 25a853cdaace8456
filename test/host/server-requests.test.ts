import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { Elicitation, ElicitationAnswer, HostOptions, Sampling } from '../../src/host/index.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, ownServer, WITHIN } from './host-harness.ts';

const { openHost, openFixture } = hostHarness();

describe('a server that sends an elicitation request', () => {
  test.each<[ElicitationAnswer]>([
    [{ action: 'accept', content: { name: 'Ada' } }],
    [{ action: 'decline' }],
    [{ action: 'cancel' }],
  ])('on stdio gets the answer %j', async (answer) => {
    const asked: Elicitation[] = [];
    const host = await openHost({
      config: configOf({ one: fixture('requests-elicitation') }),
      onElicitation(question) {
        asked.push(question);
        return answer;
      },
    });
    const { text } = await call(host, 'one', 'ask');
    expect(JSON.parse(text)).toMatchObject({ result: answer });
    expect(asked).toEqual([
      {
        server: 'one',
        mode: 'form',
        message: 'Who are you?',
        schema: {
          type: 'object',
          properties: { name: { type: 'string' }, agree: { type: 'boolean', default: false } },
          required: ['name'],
        },
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  test.each(['well-behaved', 'legacy-sse', 'modern'] as const)('on HTTP (%s) gets the answer', async (name) => {
    const server = await openFixture(name);
    const host = await openHost({
      config: configOf({ one: { url: server.url } }),
      onElicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    const { text } = await call(host, 'one', 'ask');
    expect(JSON.parse(text)).toEqual({ action: 'accept', content: { name: 'Ada' } });
  });

  test('to open a URL shows the whole URL and its host', async () => {
    const asked: Elicitation[] = [];
    const host = await openHost({
      config: configOf({ one: fixture('requests-elicitation', '--url') }),
      onElicitation(question) {
        asked.push(question);
        return { action: 'accept' };
      },
    });
    expect(JSON.parse((await call(host, 'one', 'ask')).text)).toMatchObject({ result: { action: 'accept' } });
    expect(asked).toMatchObject([
      {
        mode: 'url',
        url: 'https://example.com/sign-in?id=1',
        host: 'example.com',
        warnings: [],
        message: 'Please sign in',
      },
    ]);
  });

  test('gets cancel if the application fails or returns garbage, without the reason', async () => {
    const answers = [
      () => 'yes',
      () => ({ action: 'agree' }),
      () => undefined,
      () => Promise.reject(new Error('gone')),
    ];
    const messages: unknown[] = [];
    const lines: string[] = [];
    for (const answer of answers) {
      const onElicitation = answer as unknown as NonNullable<HostOptions['onElicitation']>;
      const config = configOf({ one: fixture('requests-elicitation') });
      const host = await openHost({ config, onElicitation, log: (line) => lines.push(line) });
      messages.push(JSON.parse((await call(host, 'one', 'ask')).text));
    }
    const cancelled = expect.objectContaining({ result: { action: 'cancel' } });
    expect(messages).toEqual([cancelled, cancelled, cancelled, cancelled]);
    expect(lines).toContainEqual(expect.stringContaining('onElicitation failed: gone'));
  });

  test('to open something other than a web page is declined without asking', async () => {
    const asked: Elicitation[] = [];
    const host = await openHost({
      config: configOf({ one: fixture('requests-elicitation', '--script') }),
      onElicitation(question) {
        asked.push(question);
        return { action: 'accept' };
      },
    });
    expect(JSON.parse((await call(host, 'one', 'ask')).text)).toMatchObject({ result: { action: 'decline' } });
    expect(asked).toEqual([]);
  });

  test.each(['stdio', 'HTTP'])('that takes longer than the call timeout is waited for, on %s', async (way) => {
    const server = way === 'stdio' ? fixture('requests-elicitation') : { url: (await openFixture('well-behaved')).url };
    let answer: ((reply: ElicitationAnswer) => void) | undefined;
    const host = await openHost({
      config: configOf({ one: { ...server, request_timeout_ms: 2_000 } }),
      onElicitation: () =>
        new Promise<ElicitationAnswer>((resolve) => {
          answer = resolve;
        }),
    });
    const answered = call(host, 'one', 'ask');
    await expect.poll(() => answer, WITHIN).toBeDefined();
    const early = await Promise.race([answered, once(AbortSignal.timeout(2_500), 'abort').then(() => 'waits')]);
    expect(early).toBe('waits');
    answer?.({ action: 'accept', content: { name: 'Ada' } });
    expect(await answered).toMatchObject({ is_error: false, text: expect.stringContaining('Ada') });
  });

  test('and cancels it fires the signal, and nothing is sent afterward', async () => {
    const asked: Elicitation[] = [];
    let answer: (reply: ElicitationAnswer) => void = () => {};
    const host = await openHost({
      config: configOf({ one: ownServer('cancels-its-request') }),
      onElicitation(question) {
        asked.push(question);
        return new Promise<ElicitationAnswer>((resolve) => {
          answer = resolve;
        });
      },
    });
    const answered = call(host, 'one', 'ask');
    await expect.poll(() => asked.length, WITHIN).toBe(1);
    expect(asked[0]?.signal.aborted).toBe(false);
    await call(host, 'one', 'withdraw');
    expect(await answered).toMatchObject({ text: 'withdrawn' });
    expect(asked[0]?.signal.aborted).toBe(true);
    answer({ action: 'accept' });
    expect(host.list()).toMatchObject([{ state: 'ready' }]);
  });

  test('fires the signal when the host is closed', async () => {
    const asked: Elicitation[] = [];
    const host = await openHost({
      config: configOf({ one: fixture('requests-elicitation') }),
      onElicitation(question) {
        asked.push(question);
        return new Promise<ElicitationAnswer>(() => {});
      },
    });
    const answered = call(host, 'one', 'ask');
    await expect.poll(() => asked.length, WITHIN).toBe(1);
    await host.close();
    expect(await answered).toMatchObject({ is_error: true });
    expect(asked[0]?.signal.aborted).toBe(true);
  });
});

describe('a server that sends a request', () => {
  test('for sampling gets the result, and the application gets the original params', async () => {
    const asked: Sampling[] = [];
    const result = { role: 'assistant', content: { type: 'text', text: 'Hello.' }, model: 'scripted' };
    const host = await openHost({
      config: configOf({ one: fixture('requests-sampling') }),
      async onSampling(question) {
        asked.push(question);
        return result;
      },
    });
    const { text } = await call(host, 'one', 'ask', { prompt: 'Say hi' });
    expect(JSON.parse(text)).toMatchObject({ result });
    const messages = [{ role: 'user', content: { type: 'text', text: 'Say hi' } }];
    expect(asked).toEqual([{ server: 'one', params: { messages, maxTokens: 100 }, signal: expect.any(AbortSignal) }]);
  });

  test('for roots gets those of the application', async () => {
    const roots = [{ uri: 'file:///work', name: 'work' }];
    const host = await openHost({ config: configOf({ one: fixture('requests-roots') }), roots });
    expect(JSON.parse((await call(host, 'one', 'ask')).text)).toMatchObject({ result: { roots } });
  });

  verifies(
    'host:connect:capabilities',
    'for a capability without a handler is refused, and the capability is not declared',
    async () => {
      for (const name of ['requests-elicitation', 'requests-sampling', 'requests-roots'] as const) {
        const host = await openHost({ config: configOf({ one: fixture(name) }) });
        expect(JSON.parse((await call(host, 'one', 'ask')).text)).toMatchObject({ error: { code: -32601 } });
      }
      const declared = async (options: HostOptions) => {
        const host = await openHost({ config: configOf({ one: fixture('says-anything') }), ...options });
        const lines: string[] = JSON.parse((await call(host, 'one', 'heard')).text);
        const hello = lines.map((line) => JSON.parse(line)).find(({ method }) => method === 'initialize');
        return hello.params.capabilities;
      };
      expect(await declared({})).toEqual({});
      expect(
        await declared({ onElicitation: () => ({ action: 'cancel' }), onSampling: () => ({}), roots: [] }),
      ).toEqual({
        elicitation: { form: {}, url: {} },
        sampling: {},
        roots: {},
      });
    },
  );
});
