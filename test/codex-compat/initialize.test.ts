import { expect } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { verifies } from '../verifies.ts';
import { shareTestbed } from './drop-in.ts';

const dropIn = shareTestbed();

verifies(
  ['compat:initialize:server-info', 'compat:initialize:capabilities'],
  'answers initialize as the old server did',
  async () => {
    const client = await dropIn.serve();
    expect(client.hello).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo: {
        name: 'codex-mcp-server',
        title: 'Codex',
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        user_agent: expect.stringMatching(/^codex-mcp-server\//),
      },
    });
    expect(await client.request('ping')).toEqual({});
  },
);

verifies(
  ['compat:tools:two', 'compat:tools:codex-prompt', 'compat:tools:codex-approval-policy', 'compat:tools:output-schema'],
  'offers the two tools of the old server, with all the arguments of 0.92 and 0.153.4',
  async () => {
    const client = await dropIn.serve();
    const { tools } = (await client.request('tools/list')) as { tools: JsonObject[] };
    const text = { type: 'string', description: expect.any(String) };
    const texts = { type: 'array', items: { type: 'string' }, description: expect.any(String) };
    const outputSchema = {
      type: 'object',
      properties: { threadId: { type: 'string' }, content: { type: 'string' } },
      required: ['threadId', 'content'],
    };
    const tool = { description: expect.any(String), annotations: expect.any(Object), outputSchema };
    const codex = {
      type: 'object',
      properties: {
        prompt: text,
        'approval-policy': { ...text, enum: ['untrusted', 'on-failure', 'on-request', 'never'] },
        'base-instructions': text,
        'compact-prompt': text,
        config: { type: 'object', additionalProperties: true, description: expect.any(String) },
        cwd: text,
        'developer-instructions': text,
        images: texts,
        model: text,
        profile: text,
        sandbox: { ...text, enum: ['read-only', 'workspace-write', 'danger-full-access'] },
      },
      required: ['prompt'],
      additionalProperties: false,
    };
    const reply = {
      type: 'object',
      properties: { prompt: text, threadId: text, conversationId: text, images: texts },
      required: ['prompt'],
    };
    expect(tools).toEqual([
      { name: 'codex', title: 'Codex', inputSchema: codex, ...tool },
      { name: 'codex-reply', title: 'Codex Reply', inputSchema: reply, ...tool },
    ]);
  },
);
