import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'vitest';

type Answer = Readonly<Record<string, unknown>>;

export interface StepOptions {
  /** The command line of the codex server, with its environment. */
  readonly command: readonly [string, ...string[]];
  readonly env: Record<string, string>;
  /** A git repository to work in. */
  readonly folder: string;
  /** The prompts of the three turns. The third turn takes long. */
  readonly prompts: readonly [string, string, string];
  readonly turnMs: number;
}

/** Starts a session, polls until it is done, sends a further message, interrupts it, and finds it in the list. */
export async function takeSteps({
  command: [command, ...args],
  env,
  folder,
  prompts,
  turnMs,
}: StepOptions): Promise<void> {
  const client = new Client({ name: 'switchboard-e2e', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env, cwd: folder, stderr: 'ignore' }));
  const call = async (name: string, given: Answer): Promise<Answer> => {
    const result = await client.callTool({ name, arguments: given }, undefined, { timeout: turnMs });
    if (result.isError === true) throw new Error(JSON.stringify(result.content));
    return (result.structuredContent ?? {}) as Answer;
  };
  const poll = async (sessionId: unknown): Promise<Answer> => {
    const end = Date.now() + turnMs;
    for (;;) {
      const status = await call('codex_status', { sessionId, waitSeconds: 20 });
      if (status['status'] !== 'active' || Date.now() > end) return status;
    }
  };
  try {
    const started = await call('codex_start', { prompt: prompts[0], sandbox: 'read-only', approvalPolicy: 'never' });
    expect(started).toMatchObject({ sessionId: expect.stringMatching(/./), status: 'active' });
    const { sessionId } = started;
    expect(await poll(sessionId)).toMatchObject({ status: 'done', result: expect.stringMatching(/./), turnCount: 1 });

    await call('codex_say', { sessionId, message: prompts[1] });
    expect(await poll(sessionId)).toMatchObject({ status: 'done', turnCount: 2 });

    await call('codex_say', { sessionId, message: prompts[2] });
    expect(await call('codex_interrupt', { sessionId })).toMatchObject({ sessionId, status: 'interrupted' });

    const { sessions } = await call('codex_list', { workingDirectory: folder });
    expect(sessions).toContainEqual(expect.objectContaining({ sessionId, isActive: false }));
  } finally {
    await client.close();
  }
}
