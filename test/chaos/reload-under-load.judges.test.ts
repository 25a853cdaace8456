import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { CliProcess } from '../gateway/cli-process.ts';
import { testHomes } from '../gateway/run-cli.ts';
import { longTimeoutEnv, switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { createRandom } from './random.ts';

const processes = trackProcesses();
const newHome = testHomes(processes);
const program = fileURLToPath(new URL('fixtures/injects-faults.mjs', import.meta.url));

const CHANGES = 20;
const CALLS_PER_CHANGE = 50;
const LIMIT_MS = 40_000;
/** New instances wait until the old one has finished. So do calls to them. */
const LOCKED = 'locked';

interface Expected {
  readonly server: string;
  readonly version: number;
}

/** A config that is edited continuously. Each version of a server returns a different answer. */
class EditedConfig {
  readonly #file: string;
  readonly #journal: string;
  readonly #versions = new Map([
    ['one', 1],
    ['two', 1],
    ['three', 1],
    [LOCKED, 1],
  ]);
  #timeoutMs = 60_000;

  constructor(folder: string) {
    this.#file = join(folder, 'servers.json');
    this.#journal = join(folder, 'journal');
    this.#save();
  }

  get file(): string {
    return this.#file;
  }

  present(): readonly Expected[] {
    return [...this.#versions].map(([server, version]) => ({ server, version }));
  }

  /** Applies the change with this number. Returns what the gateway reports about it. */
  change(number: number): string {
    const guest = `guest${number - (number % 5)}`;
    switch (number % 5) {
      case 0:
        this.#versions.set(guest, 1);
        return this.#save(`started ${guest}`);
      case 1:
        return this.#newVersion('one');
      case 2:
        return this.#newVersion(LOCKED);
      case 3:
        return this.#newVersion('two');
      default:
        this.#versions.delete(guest);
        return this.#save(`stopped ${guest}`);
    }
  }

  /** Makes the file unreadable, as in the middle of an edit. */
  spoil(): string {
    writeFileSync(this.#file, '{ "mcpServers": {');
    return 'remain unchanged.';
  }

  /** Lets all waiting calls finish. */
  release(): void {
    writeFileSync(`${this.#journal}.go`, '');
  }

  #newVersion(server: string): string {
    this.#versions.set(server, (this.#versions.get(server) ?? 0) + 1);
    // Settings that do not affect the process change with it.
    this.#timeoutMs++;
    return this.#save(`restarted ${server}`);
  }

  /** Edits in place or by replacing the file, as editors do. */
  #save(news = ''): string {
    const mcpServers = Object.fromEntries([...this.#versions].map(([id, version]) => [id, this.#entry(id, version)]));
    const isInPlace = this.#timeoutMs % 2 === 0;
    const target = isInPlace ? this.#file : `${this.#file}.new`;
    writeFileSync(target, JSON.stringify({ mcpServers }));
    if (!isInPlace) renameSync(target, this.#file);
    // The same line may report settings of other servers.
    return `The config has changed: ${news}`;
  }

  #entry(id: string, version: number): object {
    return {
      command: process.execPath,
      args: [program, id, this.#journal],
      env: { VERSION: String(version) },
      request_timeout_ms: this.#timeoutMs,
      restart: id === LOCKED ? 'stop-first' : 'overlap',
    };
  }
}

test('loses none of 1000 calls in flight over 20 config changes, and each is answered by its own server', {
  timeout: 300_000,
}, async () => {
  const home = newHome();
  const config = new EditedConfig(home.folder);
  const gateway = new CliProcess(switchboard('gateway', '--config', config.file), processes, home.env(longTimeoutEnv));
  onTestFinished(() => gateway.endInput());
  await gateway.initialize();
  const random = createRandom(1);
  const expected = new Map<number, Expected & { readonly nonce: string }>();
  const answers = () => gateway.received.filter(({ id }) => typeof id === 'number' && expected.has(id));

  const send = (n: number) => {
    const call = { ...random.pick(config.present()), nonce: `nonce-${n}` };
    const args = { n, nonce: call.nonce, habit: 'wait' };
    expected.set(gateway.post('tools/call', { name: `${call.server}__work`, arguments: args }), call);
  };

  for (let change = 0; change < CHANGES; change++) {
    const before = gateway.stderr.length;
    if (change % 7 === 3) await until(gateway, before, config.spoil());
    await until(gateway, before, config.change(change));
    for (let call = 0; call < CALLS_PER_CHANGE; call++) send(change * CALLS_PER_CHANGE + call);
  }
  expect(answers()).toEqual([]);
  config.release();
  await expect.poll(() => answers().length, { timeout: LIMIT_MS }).toBe(CHANGES * CALLS_PER_CHANGE);

  const lockedVersion = config.present().find(({ server }) => server === LOCKED)?.version;
  for (const { id, result, error } of answers()) {
    const { server, version, nonce } = expected.get(Number(id)) ?? {};
    const { pid: _, pad: _pad, ...reply } = error === undefined ? JSON.parse(result.content[0].text) : error;
    // Calls that waited for a single-instance server have gone to its newest successor.
    const answering = server === LOCKED && reply.version !== 1 ? lockedVersion : version;
    expect(reply).toEqual({ server, version: answering, nonce });
  }
  gateway.endInput();
  expect(await gateway.exited).toEqual({ code: 0, signal: null });
  expect(new Set(answers().map(({ id }) => id)).size).toBe(answers().length);
});

/** Waits until the gateway has reported this after the given output. */
async function until(gateway: CliProcess, from: number, news: string): Promise<void> {
  await expect.poll(() => gateway.stderr.slice(from), { timeout: LIMIT_MS }).toContain(news);
}
