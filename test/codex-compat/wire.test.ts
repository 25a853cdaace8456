import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import { openTestbed, type Testbed } from '../codex-server/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'probe', version: '0.1' } },
};
// The name that it had without a prefix.
const initialized = { jsonrpc: '2.0', method: 'initialized', params: {} };

function call(id: string, prompt: string) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'codex', arguments: { prompt } } };
}

/** Sends the messages, waits until the text appears in a response, and disconnects. Returns everything received. */
async function converse(
  testbed: Testbed,
  texts: readonly string[],
  isOver: (stdout: string) => boolean,
): Promise<string> {
  const [program, ...args] = testbed.command('mcp-server');
  const started = spawn(program, args, { env: testbed.env(), cwd: testbed.home.workDir, stdio: 'pipe' });
  let stdout = '';
  started.stderr.resume();
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (isOver(stdout)) started.stdin.end();
  });
  for (const text of texts) started.stdin.write(text);
  await once(started, 'close');
  return stdout;
}

verifies(
  [
    'compat:wire:ndjson',
    'compat:wire:stdout',
    'compat:wire:codex-home',
    'compat:initialize:version',
    'compat:initialize:bare-initialized',
  ],
  'answers a client of early 2026 only in JSON lines, even if Codex fails',
  async () => {
    await using testbed = await openTestbed(processes);
    const lines = [initialize, initialized, call('three', script([{ error: 401 }]))].map(
      (message) => `${JSON.stringify(message)}\n`,
    );
    const stdout = await converse(testbed, lines, (text) => text.includes('"id":"three"'));
    const messages = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    expect(messages[0]).toMatchObject({ id: 1, result: { protocolVersion: '2024-11-05' } });
    const events = messages.filter(({ method }) => method === 'codex/event');
    expect(events.length).toBeGreaterThan(5);
    expect(events.every(({ params }) => params._meta.requestId === 'three')).toBe(true);
    expect(messages.filter(({ id }) => id !== undefined).map(({ id }) => id)).toEqual([1, 'three']);
    expect(messages.at(-1)).toMatchObject({ id: 'three', result: { isError: true } });
    expect(readdirSync(join(testbed.home.codexDir, 'sessions')).length).toBe(1);
  },
);

verifies('compat:wire:content-length', 'answers a Content-Length client in Content-Length framing', async () => {
  await using testbed = await openTestbed(processes);
  const frame = (message: object) => {
    const body = JSON.stringify(message);
    return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
  const texts = [initialize, initialized, call('c', script([{ message: 'counted' }]))].map(frame);
  const stdout = await converse(testbed, texts, (text) => text.includes('"id":"c"'));
  const bodies = stdout.split(/Content-Length: \d+\r\n\r\n/).slice(1);
  expect(bodies.length).toBeGreaterThan(5);
  expect(JSON.parse(bodies.at(-1) ?? '')).toMatchObject({
    id: 'c',
    result: { content: [{ type: 'text', text: 'counted' }], structuredContent: { content: 'counted' } },
  });
});

test('leaves nothing running if a client disconnects during a call', async () => {
  await using testbed = await openTestbed(processes);
  const prompt = script([{ shell: 'sleep 80' }, { message: 'never' }]);
  const lines = [initialize, initialized, call('c', prompt)].map((message) => `${JSON.stringify(message)}\n`);
  const stdout = await converse(testbed, lines, (text) => text.includes('exec_command_begin'));
  const answer = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  const text = 'The client disconnected.';
  expect(answer).toEqual({
    jsonrpc: '2.0',
    id: 'c',
    result: {
      isError: true,
      content: [{ type: 'text', text }],
      structuredContent: { threadId: expect.any(String), content: text },
    },
  });
});
