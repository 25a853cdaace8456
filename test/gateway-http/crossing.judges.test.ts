import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, expect, vi } from 'vitest';
import { type HttpFixture, openHttpFixture } from '../fixtures/http/paths.ts';
import { fixture } from '../fixtures/paths.ts';
import type { Message } from '../gateway/harness.ts';
import { at } from '../http/harness.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient, type RawResponse } from './raw-client.ts';

const { openGateway, processes } = gatewayHttpHarness();
const CLIENTS = 16;
/** Calls of one client at the same time. */
const IN_FLIGHT = 4;
/** Calls of each client. `SWITCHBOARD_CROSSING_CALLS=20000` is the long run. */
const CALLS = Number(process.env['SWITCHBOARD_CROSSING_CALLS'] ?? 100);
const ROUNDS = CALLS / IN_FLIGHT;
/** Each change of the list adds a tool, and a long list would cost more than the calls. */
const CALLS_PER_CHANGE = Math.ceil((CLIENTS * CALLS) / 800);
const TIMEOUT_MS = 240_000 + CLIENTS * CALLS * 20;
/** The first server is killed after this many calls, and then one at a time. */
const FIRST_KILL = 200;
const KILL_EVERY_MS = 6_000;
/** The programs of the servers that are killed. */
const KILLED = ['fixtures/well-behaved.mjs', 'fixtures/floods-progress.mjs', 'fixtures/changes-its-list.mjs'];
const CAPABILITIES = { elicitation: { form: {} } };

const fixtures: HttpFixture[] = [];
afterEach(async () => {
  await Promise.all(fixtures.splice(0).map((opened) => opened.close()));
});

async function openUpstream(name: 'well-behaved' | 'modern') {
  const opened = await openHttpFixture(name, { env: processes.env(), options: ['--lifetime-ms', String(TIMEOUT_MS)] });
  fixtures.push(opened);
  return at(opened.url);
}

/** Returns the same sequence of numbers below `limit` in each run. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** What a client must get, and what it got. */
interface Outcome {
  readonly expected: unknown;
  readonly received: unknown;
}

/** The responses and messages of all clients. */
const tally = {
  calls: 0,
  progress: 0,
  /** Calls whose server was killed. */
  lost: 0,
  wrong: [] as Outcome[],
};

/** Whether the call failed because its server was killed. */
function isLost(response: Message | undefined): boolean {
  const isTheirs = /plain|flood|grow/.test(String(response?.error?.message));
  return isTheirs && response?.error?.data?.['kind'] !== undefined;
}

/** All calls of all clients have the same id and the same progress token. */
const SAME = { id: 1, meta: { progressToken: 1 } };

class CrossingClient {
  /** The methods of messages that relate to no request. */
  readonly unrelated = new Set<unknown>();
  readonly #url: string;
  readonly #name: string;
  readonly #era: 'legacy' | 'modern';
  readonly #random: (limit: number) => number;
  #client: RawClient;
  #closing = new AbortController();

  constructor(url: string, index: number) {
    this.#url = url;
    this.#name = `client-${index}`;
    this.#era = index % 2 === 0 ? 'legacy' : 'modern';
    this.#random = createRandom(index + 1);
    this.#client = new RawClient(url, this.#era);
  }

  async run(): Promise<void> {
    await this.#connect();
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async (_, lane) => {
        for (let round = 0; round < ROUNDS; round++) await this.#act(`${this.#name}-${lane}-${round}`, lane);
      }),
    );
    this.#closing.abort();
  }

  async #connect(): Promise<void> {
    const client = new RawClient(this.#url, this.#era);
    client.capabilities = CAPABILITIES;
    this.#closing = new AbortController();
    if (this.#era === 'legacy') {
      await client.initialize(CAPABILITIES);
      const listener = new RawClient(this.#url, 'legacy');
      listener.sessionId = client.sessionId;
      listener.onMessage = ({ method }) => this.unrelated.add(method);
      await listener.listen(this.#closing.signal);
    }
    await client.request('tools/list', {}, SAME);
    this.#client = client;
  }

  async #act(marker: string, lane: number): Promise<void> {
    switch (this.#random(8)) {
      case 0:
        return this.#flood(1 + this.#random(20));
      case 1:
        return this.#ask('web__ask', marker);
      case 2:
        return this.#ask('modern__ask', marker);
      case 3:
        return this.#cancel(marker);
      case 4:
        return this.#random(CALLS_PER_CHANGE) === 0 ? this.#grow() : this.#echo('plain__echo', marker);
      case 5:
        // Only one lane replaces the client. The others use the new one for their next calls.
        return lane === 0 && this.#random(4) === 0 ? this.#disappear() : this.#echo('plain__echo', marker);
      case 6:
        return this.#echo('modern__echo', marker);
      default:
        return this.#echo('web__echo', marker);
    }
  }

  async #echo(name: string, marker: string): Promise<void> {
    const exchange = await this.#client.exchange('tools/call', { name, arguments: { text: marker } }, SAME);
    this.#record({ texts: [marker], others: [] }, exchange);
  }

  async #flood(count: number): Promise<void> {
    const exchange = await this.#client.exchange('tools/call', { name: 'flood__flood', arguments: { count } }, SAME);
    const progress = Array.from({ length: count }, (_, at) => ({ progressToken: 1, progress: at + 1, total: count }));
    this.#record({ texts: [`sent ${count}`], others: progress }, exchange);
  }

  async #ask(name: string, marker: string): Promise<void> {
    const result = { action: 'accept', content: { name: marker } };
    const args = { name, arguments: {} };
    const options = { ...SAME, onRequest: () => ({ result }) };
    const client = this.#client;
    let exchange = await client.exchange('tools/call', args, options);
    const { resultType, inputRequests, requestState } = exchange.response?.result ?? {};
    if (resultType === 'input_required') {
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, result]));
      exchange = await client.exchange('tools/call', { ...args, requestState, inputResponses }, SAME);
    }
    const response = JSON.stringify(exchange.response) ?? '';
    this.#compare(true, response.includes(marker) || response);
  }

  async #cancel(marker: string): Promise<void> {
    const client = this.#client;
    const cancelling = new AbortController();
    const args = { name: 'plain__slow', arguments: { ms: 60_000 } };
    const options = { ...SAME, id: marker, signal: cancelling.signal };
    const call = client.exchange('tools/call', args, options).catch(() => undefined);
    await this.#echo('plain__echo', marker);
    let isDone = false;
    void call.then(() => {
      isDone = true;
    });
    if (this.#era === 'modern') cancelling.abort();
    // On another connection, the cancellation may overtake the call.
    while (this.#era === 'legacy' && !isDone)
      await client.post({ method: 'notifications/cancelled', params: { requestId: marker } });
    const response = (await call)?.response;
    if (isLost(response)) tally.lost++;
    else this.#compare(undefined, response);
  }

  async #grow(): Promise<void> {
    const { response } = await this.#client.exchange('tools/call', { name: 'grow__grow', arguments: {} }, SAME);
    if (isLost(response)) tally.lost++;
    else this.#compare(true, /grown-\d+/.test(JSON.stringify(response)) || response);
  }

  /** Leaves without a word in the middle of a call, and comes back as a new client. */
  async #disappear(): Promise<void> {
    const leaving = new AbortController();
    const options = { ...SAME, id: 'lost', signal: leaving.signal };
    const args = { name: 'plain__slow', arguments: { ms: 60_000 } };
    const call = this.#client.exchange('tools/call', args, options).catch(() => undefined);
    await this.#echo('plain__echo', 'before leaving');
    leaving.abort();
    this.#closing.abort();
    await call;
    await this.#connect();
  }

  #record(
    expected: { readonly texts: readonly string[]; readonly others: readonly unknown[] },
    got: RawResponse,
  ): void {
    const content: { text: string }[] = got.response?.result?.content ?? [];
    const others = got.messages.slice(0, -1).map(({ params }) => params);
    tally.progress += others.length;
    if (isLost(got.response)) {
      tally.lost++;
      // What arrived before the server was killed.
      this.#compare(expected.others.slice(0, others.length), others);
    } else this.#compare(expected, { texts: content.map(({ text }) => text), others });
  }

  #compare(expected: unknown, received: unknown): void {
    tally.calls++;
    if (!isDeepStrictEqual(expected, received)) tally.wrong.push({ expected, received });
  }
}

/** Kills the servers in turn until the signal aborts. Returns how many were killed. */
async function killServers(signal: AbortSignal): Promise<number> {
  let kills = 0;
  await vi.waitFor(() => expect(tally.calls).toBeGreaterThan(FIRST_KILL), 60_000);
  while (!signal.aborted) {
    const name = KILLED[kills % KILLED.length] ?? '';
    const found = processes.alive().find(({ command }) => command.includes(name) && !command.includes('fixtures/http'));
    if (found !== undefined) {
      process.kill(found.pid, 'SIGKILL');
      kills++;
    }
    await delay(KILL_EVERY_MS, undefined, { signal }).catch(() => {});
  }
  return kills;
}

verifies(
  'gateway:http:crossing',
  'sixteen clients of both eras with equal ids and tokens get exactly what belongs to them, while servers are killed',
  async () => {
    const { url } = await openGateway(
      {
        plain: fixture('well-behaved'),
        flood: fixture('floods-progress'),
        grow: fixture('changes-its-list'),
        web: await openUpstream('well-behaved'),
        modern: await openUpstream('modern'),
      },
      { limits: { heartbeatMs: 500, sessionIdleMs: 2_000 } },
    );
    const clients = Array.from({ length: CLIENTS }, (_, index) => new CrossingClient(url, index));
    const over = new AbortController();
    const killing = killServers(over.signal);
    await Promise.all(clients.map((client) => client.run())).finally(() => over.abort());
    const kills = await killing;
    const { calls, progress, lost, wrong } = tally;
    process.stderr.write(`${JSON.stringify({ calls, progress, kills, lost, wrong: wrong.length })}\n`);
    expect(wrong).toEqual([]);
    expect(calls + lost).toBeGreaterThanOrEqual(CLIENTS * CALLS);
    expect(kills).toBeGreaterThan(0);
    // A kill loses at most the calls that were running.
    expect(lost).toBeLessThanOrEqual(kills * CLIENTS * IN_FLIGHT * 2);
    const unrelated = new Set(clients.flatMap((client) => [...client.unrelated]));
    expect([...unrelated]).toEqual(['notifications/tools/list_changed']);
  },
  TIMEOUT_MS,
);
