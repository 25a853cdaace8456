import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, test } from 'vitest';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { useTemporaryFolders } from '../temporary-folder.ts';
import { verifies } from '../verifies.ts';

const processes = trackProcesses();
const newFolder = useTemporaryFolders();
const INFO = { name: 'interop', version: '1.0.0' };

type Kind = 'version 1' | 'version 2' | 'version 2, newest protocol';

/** Connects an official client to `switchboard codex`, which starts no Codex until a tool needs one. */
async function connect(kind: Kind, options: readonly string[] = []) {
  const folder = newFolder();
  const { command, args } = switchboard('codex', ...options);
  const env = processes.env({ SWITCHBOARD_HOME: folder, CODEX_HOME: folder });
  const server = { command, args: [...args], env, cwd: folder, stderr: 'ignore' as const };
  if (kind === 'version 1') {
    const client = new ClientV1(INFO);
    await client.connect(new StdioClientTransportV1(server));
    return { client, folder };
  }
  const client = new Client(INFO, kind === 'version 2' ? {} : { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport(server));
  return { client, folder };
}

/** The text of a prompt, which is one message of the user. */
async function textOf(client: ClientV1 | Client, name: string, args: Record<string, string> = {}): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: args });
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: expect.any(String) } }]);
  const [message] = messages;
  return message?.content.type === 'text' ? message.content.text : '';
}

const kinds: readonly Kind[] = ['version 1', 'version 2', 'version 2, newest protocol'];

describe.each(kinds)('the official client (%s)', (kind) => {
  verifies('codex:prompts:listed', 'lists the prompts, with documented arguments', async () => {
    const { client } = await connect(kind);
    if (client instanceof Client && kind.endsWith('newest protocol')) expect(client.getProtocolEra()).toBe('modern');
    expect(client.getServerCapabilities()).toMatchObject({ prompts: {}, completions: {} });
    const { prompts } = await client.listPrompts();
    expect(
      prompts.map(({ name, arguments: args = [] }) => [name, args.map((one) => [one.name, one.required])]),
    ).toEqual([
      [
        'delegate',
        [
          ['task', true],
          ['folder', undefined],
          ['sandbox', undefined],
        ],
      ],
      [
        'second-opinion',
        [
          ['question', undefined],
          ['folder', undefined],
        ],
      ],
      [
        'review',
        [
          ['base', undefined],
          ['focus', undefined],
          ['folder', undefined],
        ],
      ],
    ]);
    for (const { title, description, arguments: args = [] } of prompts)
      expect([title, description, ...args.map((one) => one.description)]).not.toContain(undefined);
    await client.close();
  });

  test('gets each prompt with its arguments filled in', async () => {
    const { client } = await connect(kind);
    const given = { task: 'Fix the parser.', folder: '/srv/app', sandbox: 'workspace-write' };
    const delegate = await textOf(client, 'delegate', given);
    expect(delegate).toContain('Task:\nFix the parser.\n');
    expect(delegate).toContain('- workingDirectory: "/srv/app"\n   - sandbox: "workspace-write"\n');
    const opinion = await textOf(client, 'second-opinion', { question: 'Is a lock needed?' });
    expect(opinion).toContain('Question:\nIs a lock needed?\n');
    expect(await textOf(client, 'second-opinion', { question: ' ' })).toContain('the one that we are discussing');
    expect(await textOf(client, 'review')).toContain('review the uncommitted changes.');
    for (const text of [delegate, opinion])
      for (const tool of ['codex_start', 'codex_wait', 'codex_respond', 'codex_say']) expect(text).toContain(tool);
    await client.close();
  });

  test('completes the arguments that have fixed or known values', async () => {
    const { client, folder } = await connect(kind);
    const complete = async (name: string, argument: string, value: string) => {
      const params = { ref: { type: 'ref/prompt' as const, name }, argument: { name: argument, value } };
      return (await client.complete(params)).completion;
    };
    const both = { values: ['read-only', 'workspace-write'], total: 2, hasMore: false };
    expect(await complete('delegate', 'sandbox', '')).toEqual(both);
    expect((await complete('delegate', 'sandbox', 'W')).values).toEqual(['workspace-write']);
    expect((await complete('review', 'folder', folder.slice(0, 5))).values).toEqual([folder]);
    expect((await complete('delegate', 'task', '')).values).toEqual([]);
    await client.close();
  });

  test('gets an error that says what is wrong', async () => {
    const { client } = await connect(kind);
    await expect(client.getPrompt({ name: 'delegate' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('The prompt delegate needs the argument task.'),
    });
    await expect(client.getPrompt({ name: 'deploy' })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('There is no prompt "deploy". Known: delegate, second-opinion, review.'),
    });
    await client.close();
  });
});

describe('the prompt review', () => {
  test('uses codex_review if the server has it', async () => {
    const { client } = await connect('version 2', ['--tools', 'full']);
    expect(await textOf(client, 'review')).toContain('Call codex_review once with:\n   - target: "uncommitted"\n');
    expect(await textOf(client, 'review', { base: 'main' })).toContain('- target: "base"\n   - base: "main"\n');
    expect(await textOf(client, 'review', { base: 'main', focus: 'security' })).toContain(
      '- target: "custom"\n   - instructions: "Review the changes since the branch \\"main\\", with a focus on: security."\n',
    );
    await client.close();
  });

  test('uses a read-only session if it does not', async () => {
    const { client } = await connect('version 2');
    const text = await textOf(client, 'review', { base: 'main' });
    expect(text).toContain(
      'Call codex_start once with:\n   - prompt: "Review the changes since the branch \\"main\\".',
    );
    expect(text).toContain('- sandbox: "read-only"\n');
    expect(text).not.toContain('codex_review');
    await client.close();
  });
});

test('suggests no sandbox beyond the limit of the operator', async () => {
  const { client } = await connect('version 2', ['--max-sandbox', 'read-only']);
  const params = { ref: { type: 'ref/prompt' as const, name: 'delegate' }, argument: { name: 'sandbox', value: '' } };
  expect((await client.complete(params)).completion.values).toEqual(['read-only']);
  await client.close();
});

test('the drop-in for codex mcp-server has no prompts', async () => {
  const { client } = await connect('version 2', ['--tools', 'compat']);
  expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } });
  await client.close();
});
