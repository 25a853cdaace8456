import { expect, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { testHomes } from '../gateway/run-cli.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { type HttpProcess, openHttpProcess } from './http-process.ts';
import { RawClient } from './raw-client.ts';

const processes = trackProcesses();
const newHome = testHomes(processes);
const servers = { one: fixture('well-behaved'), two: fixture('well-behaved') };
const CLIENTS = 16;
/** Calls of one client at the same time. */
const IN_FLIGHT = 4;
const RESTARTS = 20;
/** Answers between two restarts. */
const ANSWERS = 200;
/** A call without an outcome by then counts as unanswered. */
const CALL_TIMEOUT_MS = 60_000;
const WITHIN = { timeout: 120_000, interval: 20 };

/** What became of the calls. */
class Tally {
  answered = 0;
  wrong = 0;
  /** Statuses of HTTP responses without an answer. */
  readonly statuses = new Map<number, number>();
  /** Attempts whose connection failed, by the code of the error. */
  readonly failures = new Map<string, number>();
  unanswered = 0;

  count<Key>(counts: Map<Key, number>, key: Key): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  get summary() {
    const { answered, wrong, unanswered } = this;
    return {
      answered,
      wrong,
      unanswered,
      statuses: Object.fromEntries(this.statuses),
      failures: Object.fromEntries(this.failures),
    };
  }
}

/** Calls without a pause. Sends a call again if its connection failed, as clients do, until it has an answer. */
class LoadClient {
  readonly #client: RawClient;
  readonly #tally: Tally;
  readonly #name: string;

  constructor(url: string, index: number, tally: Tally) {
    this.#client = new RawClient(url, index % 2 === 0 ? 'legacy' : 'modern');
    this.#name = `client-${index}`;
    this.#tally = tally;
  }

  async open(): Promise<void> {
    if (this.#client.era === 'legacy') await this.#client.initialize();
  }

  /** Keeps the stream of the server open, as the SDKs do. */
  async listen(signal: AbortSignal): Promise<void> {
    while (this.#client.era === 'legacy' && !signal.aborted) {
      try {
        const { status, ended } = await this.#client.listen(signal);
        if (status !== 200) this.#tally.count(this.#tally.statuses, status);
        await ended;
      } catch {
        // The gateway is not there: try again.
      }
      await pause();
    }
  }

  async call(lane: number, signal: AbortSignal): Promise<void> {
    for (let round = 0; !signal.aborted; round++) {
      const text = `${this.#name}-${lane}-${round}`;
      const name = round % 2 === 0 ? 'one__echo' : 'two__echo';
      await this.#callUntilAnswered(name, text);
    }
  }

  async #callUntilAnswered(name: string, text: string): Promise<void> {
    const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS);
    while (!timeout.aborted) {
      try {
        const options = { signal: timeout, id: text };
        const { status, response } = await this.#client.exchange('tools/call', { name, arguments: { text } }, options);
        if (response?.result === undefined) {
          this.#tally.count(this.#tally.statuses, status);
          await pause();
          continue;
        }
        this.#tally.answered++;
        if (response.id !== text || response.result.content?.[0]?.text !== text) this.#tally.wrong++;
        return;
      } catch (error) {
        this.#tally.count(this.#tally.failures, codeOf(error));
        await pause();
      }
    }
    this.#tally.unanswered++;
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : String(error);
}

/** How long a client waits before it connects again. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

const NO_LOSS = { answered: 0, wrong: 0, unanswered: 0, statuses: {}, failures: {} };

/** Restarts the gateway again and again while all clients call. */
async function runLoad(restart: (opened: HttpProcess) => Promise<unknown>) {
  const opened = await openHttpProcess({ home: newHome(), processes, servers });
  const tally = new Tally();
  const clients = Array.from({ length: CLIENTS }, (_, index) => new LoadClient(opened.url, index, tally));
  await Promise.all(clients.map((client) => client.open()));
  const over = new AbortController();
  const running = clients.flatMap((client) => [
    client.listen(over.signal),
    ...Array.from({ length: IN_FLIGHT }, (_, lane) => client.call(lane, over.signal)),
  ]);
  const answers = async () => {
    const { answered } = tally;
    await vi.waitFor(() => expect(tally.answered).toBeGreaterThan(answered + ANSWERS), WITHIN);
  };
  try {
    for (let count = 0; count < RESTARTS; count++) {
      await answers();
      await restart(opened);
    }
    await answers();
  } finally {
    over.abort();
  }
  await Promise.all(running);
  process.stderr.write(`${JSON.stringify(tally.summary)}\n`);
  return { opened, tally };
}

verifies(
  ['gateway:http:killed', 'gateway:http:restored'],
  'twenty times killed and started again under load: every call gets an answer, and every session continues',
  async () => {
    const { opened, tally } = await runLoad(async (gateway) => {
      await gateway.kill();
      await gateway.start();
    });
    expect({ ...tally.summary, answered: 0, failures: {} }).toEqual(NO_LOSS);
    await opened.stop();
  },
  600_000,
);

verifies(
  'gateway:http:planned-restart',
  'twenty planned restarts under load: no connection fails, and every call is answered at the first attempt',
  async () => {
    const { opened, tally } = await runLoad((gateway) => gateway.restart());
    expect({ ...tally.summary, answered: 0 }).toEqual(NO_LOSS);
    await opened.stop();
  },
  600_000,
);
