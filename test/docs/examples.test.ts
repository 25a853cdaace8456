import { accessSync, constants, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { CliProcess } from '../gateway/cli-process.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

/** Runs each example as a separate process, driven by the official SDK in both protocol eras. */
const processes = trackProcesses();

type Era = 'legacy' | 'modern';
const eras: readonly Era[] = ['legacy', 'modern'];

interface OpenOptions {
  readonly era: Era;
  readonly onElicit?: (message: string) => ElicitResult;
  readonly onLog?: (data: unknown) => void;
}

async function open(example: string, { era, onElicit, onLog }: OpenOptions) {
  const client = new Client(
    { name: 'examples', version: '1.0.0' },
    {
      capabilities: onElicit === undefined ? {} : { elicitation: { form: {} } },
      ...(era === 'modern' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {}),
    },
  );
  if (onElicit !== undefined) client.setRequestHandler('elicitation/create', ({ params }) => onElicit(params.message));
  if (onLog !== undefined) client.setNotificationHandler('notifications/message', ({ params }) => onLog(params));
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [pathOf(example)], env: processes.env() }),
  );
  expect(client.getProtocolEra()).toBe(era);
  // In the modern era, each request states which log messages it wants.
  const _meta = era === 'modern' && onLog !== undefined ? { 'io.modelcontextprotocol/logLevel': 'info' } : undefined;
  return {
    client,
    call: (name: string, args: Record<string, unknown> = {}, options: Parameters<Client['callTool']>[1] = {}) =>
      client.callTool({ name, arguments: args, ...(_meta === undefined ? {} : { _meta }) }, options),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

const pathOf = (example: string) => fileURLToPath(new URL(`../../examples/${example}`, import.meta.url));
const text = (value: string) => [{ type: 'text', text: value }];

describe.each(['echo.mjs', 'notes.mjs', 'deploy.mjs'])('examples/%s', (example) => {
  test('is executable', () => {
    expect(() => accessSync(pathOf(example), constants.X_OK)).not.toThrow();
    expect(readFileSync(pathOf(example), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});

verifies('kit:example:ten-lines', 'the echo server has at most ten lines besides its imports', () => {
  const lines = readFileSync(pathOf('echo.mjs'), 'utf8').split('\n');
  const counted = lines.filter((line) => line.trim() !== '' && !/^(import |#!)/.test(line));
  expect(counted.length).toBeLessThanOrEqual(10);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
});

test('a cancelled reading does not keep the process alive after the client disconnects', async () => {
  const notes = new CliProcess({ command: process.execPath, args: [pathOf('notes.mjs')] }, processes);
  const clientInfo = { name: 'examples', version: '1.0.0' };
  await notes.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await notes.request('tools/call', { name: 'add_note', arguments: { text: 'a long story' } });
  // Twice the time limit of this test.
  const requestId = notes.post('tools/call', { name: 'read_aloud', arguments: { pauseMs: 120_000 } });
  await notes.request('ping');
  notes.send({ method: 'notifications/cancelled', params: { requestId } });
  notes.endInput();
  expect(await notes.exited).toEqual({ code: 0, signal: null });
});

describe.each(eras)('in the %s era', (era) => {
  test('echo returns the message', async () => {
    await using echo = await open('echo.mjs', { era });
    expect((await echo.call('echo', { message: 'hi' })).content).toEqual(text('You said: hi'));
    expect(await echo.call('echo', { message: 5 })).toMatchObject({ isError: true });
  });

  test('notes describes its tools, their schemas and their annotations', async () => {
    await using notes = await open('notes.mjs', { era });
    expect(notes.client.getInstructions()).toBe('Keeps short notes for this conversation.');
    const { tools } = await notes.client.listTools();
    const harmless = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
    expect(tools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ['add_note', harmless],
      ['list_notes', { readOnlyHint: true }],
      ['read_aloud', harmless],
    ]);
    expect(tools[0]).toMatchObject({
      inputSchema: {
        type: 'object',
        properties: { text: { type: 'string', description: 'What to remember.' } },
        required: ['text'],
      },
      outputSchema: { type: 'object', required: ['id', 'text', 'tags', 'isRead'] },
    });
  });

  test('notes are structured content, and each new note sends a log message', async () => {
    const logs: unknown[] = [];
    await using notes = await open('notes.mjs', { era, onLog: (message) => logs.push(message) });
    const milk = { id: 1, text: 'milk', tags: ['shop'], isRead: false };
    const added = await notes.call('add_note', { text: 'milk', tags: ['shop'] });
    expect(added).toMatchObject({ structuredContent: milk, content: text(JSON.stringify(milk)) });
    await notes.call('add_note', { text: 'call Ada' });
    expect((await notes.call('list_notes', { tag: 'shop' })).structuredContent).toEqual({ notes: [milk] });
    expect(logs).toEqual([1, 2].map((id) => ({ level: 'info', logger: 'notes', data: `note ${id} added` })));
  });

  test('notes rejects an empty note and says what is allowed', async () => {
    await using notes = await open('notes.mjs', { era });
    const refused = await notes.call('add_note', { text: '' });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]).toMatchObject({
      text: expect.stringMatching(/^Invalid arguments for tool "add_note": text: .*Allowed: \{ text: string/),
    });
    expect((await notes.call('list_notes')).structuredContent).toEqual({ notes: [] });
  });

  test('reading aloud reports its progress', async () => {
    await using notes = await open('notes.mjs', { era });
    for (const value of ['one', 'two']) await notes.call('add_note', { text: value });
    const received: unknown[] = [];
    // The SDK drops progress that it reads together with the result, so on a busy machine they must be far apart.
    const result = await notes.call(
      'read_aloud',
      { pauseMs: 1_000 },
      { onprogress: (progress) => received.push(progress) },
    );
    expect(received).toEqual([
      { progress: 1, total: 2, message: 'one' },
      { progress: 2, total: 2, message: 'two' },
    ]);
    expect(result.content).toEqual(text('one\ntwo'));
    expect((await notes.call('read_aloud')).content).toEqual(text('There is nothing to read.'));
  });

  test('reading aloud stops when it is cancelled, and the notes stay unread', async () => {
    const notes = await open('notes.mjs', { era });
    await notes.call('add_note', { text: 'a long story' });
    const stop = new AbortController();
    const reading = notes.call('read_aloud', { pauseMs: 60_000 }, { signal: stop.signal });
    const cancelled = expect(reading).rejects.toThrow();
    // Requests start in order, so after this response the reading has started.
    await notes.client.listTools();
    stop.abort();
    await cancelled;
    expect((await notes.call('list_notes')).structuredContent).toMatchObject({ notes: [{ isRead: false }] });
    await notes.client.close();
  });

  test('deploy asks, and deploys to the chosen target', async () => {
    const asked: string[] = [];
    const onElicit = (message: string): ElicitResult => {
      asked.push(message);
      return { action: 'accept', content: { target: 'staging', sure: true } };
    };
    await using deploy = await open('deploy.mjs', { era, onElicit });
    const wanted = { service: 'web', version: '1.2.3', target: 'staging' };
    const steps: unknown[] = [];
    // The SDK reports its own progress while it answers a question. Ours has three steps.
    const result = await deploy.call(
      'deploy',
      { service: 'web', version: '1.2.3' },
      { onprogress: ({ message, total }) => total === 3 && steps.push(message) },
    );
    expect(result.structuredContent).toEqual(wanted);
    expect(asked).toEqual(['Deploy web 1.2.3?']);
    expect(steps).toEqual(['build', 'upload', 'switch over']);
    expect((await deploy.call('list_deployments')).structuredContent).toEqual({ deployments: [wanted] });
  });

  test.each<[string, ElicitResult]>([
    ['declined', { action: 'decline' }],
    ['cancelled', { action: 'cancel' }],
    ['answered "not sure"', { action: 'accept', content: { target: 'production', sure: false } }],
  ])('deploy reports that nobody agreed, and does nothing, when its question is %s', async (_, answer) => {
    await using deploy = await open('deploy.mjs', { era, onElicit: () => answer });
    const result = await deploy.call('deploy', { service: 'api', version: '2.0.0' });
    expect(result).toMatchObject({ isError: true, content: text('Not deployed: the person did not agree.') });
    expect((await deploy.call('list_deployments')).structuredContent).toEqual({ deployments: [] });
  });

  test.each<[string, OpenOptions['onElicit']]>([
    ['answered with an invalid value', () => ({ action: 'accept', content: { target: 'the moon', sure: true } })],
    ['answered without content', () => ({ action: 'accept' })],
    ['sent to a client without elicitation', undefined],
  ])('deploy fails, and does nothing, when its question is %s', async (_, onElicit) => {
    await using deploy = await open('deploy.mjs', { era, ...(onElicit === undefined ? {} : { onElicit }) });
    await expectFailure(deploy.call('deploy', { service: 'api', version: '2.0.0' }));
    expect((await deploy.call('list_deployments')).structuredContent).toEqual({ deployments: [] });
  });
});

/** A result that contains this error, or a rejection by the client itself. */
async function expectFailure(call: Promise<{ isError?: boolean | undefined }>): Promise<void> {
  const result = await call.catch((error: unknown) => ({ isError: error instanceof Error }));
  expect(result.isError).toBe(true);
}
