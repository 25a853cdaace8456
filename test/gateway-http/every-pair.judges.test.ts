import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CommandLine, longTimeoutEnv, switchboard } from '../interop/programs.ts';
import { createProcessTracker } from '../processes.ts';
import { verifies } from '../verifies.ts';

/**
 * The official client of each era, over each transport, uses servers of each era over each transport through the
 * gateway. All sixteen pairs behave the same.
 */
const processes = createProcessTracker();
const program = join(import.meta.dirname, 'fixtures', 'one-era.mjs');
const eras = ['legacy', 'modern'] as const;
const transports = ['stdio', 'http'] as const;
type Era = (typeof eras)[number];
type TransportKind = (typeof transports)[number];
const product = <A, B>(first: readonly A[], second: readonly B[]) =>
  first.flatMap((one) => second.map((two) => [one, two] as const));
const WAIT = { timeout: 60_000 };
const LIMIT_MS = 120_000;

let folder = '';
const started: ChildProcess[] = [];
let config = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-pairs-'));
  config = join(folder, 'servers.json');
  const entries = product(eras, transports).map(async ([era, kind]) => {
    const args = [program, era];
    const entry =
      kind === 'stdio'
        ? { command: process.execPath, args }
        : { url: await firstLine(start({ command: process.execPath, args: [...args, '--http'] }), 'stdout') };
    return [`${era}-${kind}`, entry];
  });
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(await Promise.all(entries)) }));
}, LIMIT_MS);

afterAll(async () => {
  const running = started.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const exits = running.map((child) => once(child, 'exit'));
  for (const child of running.reverse()) child.kill('SIGTERM');
  await Promise.all(exits);
  await processes.assertAllGone({ withinMs: 60_000 });
  rmSync(folder, { recursive: true, force: true });
}, LIMIT_MS);

function start({ command, args }: CommandLine): ChildProcess {
  const child = spawn(command, args, { env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return child;
}

/** With a new home each time: a cached list would change once its server has started. */
function environment(): Record<string, string> {
  return processes.env(longTimeoutEnv);
}

/** Returns the first URL in the output. */
async function firstLine(child: ChildProcess, from: 'stdout' | 'stderr'): Promise<string> {
  const stream = child[from];
  if (stream === null) throw new Error('The process has no such pipe.');
  for await (const line of createInterface({ input: stream })) {
    const [url] = /http:\S+\/mcp/.exec(line) ?? [];
    if (url !== undefined) {
      stream.resume();
      return url;
    }
  }
  throw new Error(`The process ended with ${child.exitCode}.`);
}

/** Connects an official client that answers every request of a server, and records what it is told. */
async function connect(era: Era, kind: TransportKind, heard: Heard): Promise<Client> {
  const mode = era === 'legacy' ? 'legacy' : ({ pin: '2026-07-28' } as const);
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const client = new Client({ name: 'pairs', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler('sampling/createMessage', () => ({
    ...{ role: 'assistant' as const, content: { type: 'text' as const, text: 'Hi' }, model: 'm' },
  }));
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }));
  client.setNotificationHandler('notifications/message', ({ params }) => void heard.logs.push(params.data));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.updates.push(params.uri));
  client.setNotificationHandler('notifications/tools/list_changed', () => void heard.toolChanges.push(true));
  await client.connect(kind === 'stdio' ? stdioTransport() : new StreamableHTTPClientTransport(await gatewayUrl()));
  return client;
}

interface Heard {
  readonly logs: unknown[];
  readonly updates: string[];
  readonly toolChanges: boolean[];
}

function stdioTransport(): StdioClientTransport {
  const { command, args } = switchboard('gateway', '--config', config);
  return new StdioClientTransport({ command, args: [...args], env: environment(), stderr: 'ignore' });
}

async function gatewayUrl(): Promise<URL> {
  const gateway = start(switchboard('gateway', '--http', '0', '--auth', 'none', '--config', config));
  return new URL(await firstLine(gateway, 'stderr'));
}

const textOf = (result: unknown) => JSON.parse(JSON.stringify(result)).content[0].text;

describe.each(product(eras, transports))('a %s client over %s', (era, kind) => {
  const heard: Heard = { logs: [], updates: [], toolChanges: [] };
  let client: Client;
  beforeAll(async () => {
    client = await connect(era, kind, heard);
  }, LIMIT_MS);
  afterAll(() => client.close(), LIMIT_MS);

  const logging = era === 'modern' ? { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } } : {};
  const call = (name: string, args: Record<string, unknown> = {}, onprogress?: (step: { progress: number }) => void) =>
    client.callTool({ name, arguments: args, ...logging }, onprogress ? { onprogress } : {});

  /** The legacy era has a request for each; the modern era one stream for all. */
  async function follow(uri: string): Promise<void> {
    if (era === 'modern') await client.listen({ toolsListChanged: true, resourceSubscriptions: [uri] });
    else {
      await client.setLoggingLevel('debug');
      await client.subscribeResource({ uri });
    }
  }

  test('speaks this era', () => {
    expect(client.getProtocolEra()).toBe(era);
  });

  describe.each(product(eras, transports).map(([itsEra, itsKind]) => `${itsEra}-${itsKind}`))(
    'with the server %s',
    (server) => {
      const tool = (name: string) => `${server}__${name}`;

      verifies(
        'eras:pairs:all',
        'lists and calls tools, and gets progress and errors',
        async () => {
          const names = (await client.listTools()).tools.map(({ name }) => name);
          expect(names).toEqual(expect.arrayContaining(['echo', 'elicit', 'grow'].map(tool)));
          expect(textOf(await call(tool('echo'), { text: 'ü' }))).toBe('ü');
          const steps: number[] = [];
          const counted = call(tool('count'), {}, ({ progress }) => steps.push(progress));
          await expect.poll(() => steps, WAIT).toEqual([1, 2, 3]);
          await call(tool('release'));
          expect(textOf(await counted)).toBe('counted');
          expect(await call(tool('fail'))).toMatchObject({ isError: true, content: [{ text: /It failed/ }] });
          await expect(call(tool('absent'))).rejects.toMatchObject({ code: -32602 });
          await expect(call(tool('echo'), { text: 1 })).resolves.toMatchObject({ isError: true });
        },
        LIMIT_MS,
      );

      verifies(
        'eras:pairs:all',
        'answers elicitation, sampling and roots requests',
        async () => {
          // One after the other: a legacy program does not say which of several calls its request is for.
          const answers: unknown[] = [];
          for (const name of ['elicit', 'sample', 'roots']) answers.push(textOf(await call(tool(name))));
          expect(answers).toEqual(['Ada', 'Hi', 'file:///work']);
        },
        LIMIT_MS,
      );

      verifies(
        'eras:pairs:all',
        'gets prompts, completions and resources',
        async () => {
          const { prompts } = await client.listPrompts();
          expect(prompts.map(({ name }) => name)).toContain(tool('greet'));
          const prompt = await client.getPrompt({ name: tool('greet'), arguments: { name: 'Ada' } });
          expect(prompt.messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello, Ada.' } }]);
          const ref = { type: 'ref/prompt' as const, name: tool('greet') };
          const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'A' } });
          expect(completion.values).toEqual(['Ada', 'Alan']);
          const uri = await ownUri(client, server);
          expect((await client.readResource({ uri })).contents).toMatchObject([{ text: /note/ }]);
        },
        LIMIT_MS,
      );

      verifies(
        'eras:pairs:all',
        'receives log messages and notifications of changed resources and lists',
        async () => {
          const uri = await ownUri(client, server);
          await follow(uri);
          const { logs, updates, toolChanges } = heard;
          for (const list of [logs, updates, toolChanges]) list.length = 0;
          await call(tool('log'));
          await expect.poll(() => logs, WAIT).toEqual(['a word']);
          await call(tool('touch'));
          await expect.poll(() => updates, WAIT).toEqual([uri]);
          const grown = textOf(await call(tool('grow')));
          await expect.poll(() => toolChanges.length, WAIT).toBeGreaterThan(0);
          const names = async () => (await client.listTools()).tools.map(({ name }) => name);
          await expect.poll(names, WAIT).toContain(tool(grown));
        },
        LIMIT_MS,
      );
    },
  );
});

/** Returns the URI of the note of this server. All servers list the same URI; the first one keeps it. */
async function ownUri(client: Client, server: string): Promise<string> {
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri).filter((uri) => uri.includes('note'));
  return uris.find((uri) => uri.startsWith(`switchboard://${server}/`)) ?? 'note://one';
}
