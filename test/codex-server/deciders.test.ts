import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { trackProcesses } from '../processes.ts';
import { member, start } from './flow-session.ts';
import { FREE, openTestbed } from './testbed.ts';

const processes = trackProcesses();
const ASKS = { approvalPolicy: 'untrusted', sandbox: 'read-only' };
const touch = [{ shell: 'touch decided.txt' }, { message: 'went on' }];
const approving = {
  capabilities: { elicitation: {} },
  onRequest: () => ({ action: 'accept', content: { decision: 'approve' } }),
};

const modernMeta = (capabilities: JsonObject) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});

describe('who may answer approvals', () => {
  test('under operator limits, a caller cannot approve for itself', async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve({ args: ['--max-sandbox', 'read-only'] });
    const flow = await start(client, touch, ASKS);

    expect(await flow.settled()).toMatchObject({
      status: 'done',
      result: 'went on',
      warnings: [expect.stringMatching(/lets nobody here approve it \(--approvals user\)/u)],
    });
    expect(existsSync(join(testbed.home.workDir, 'decided.txt'))).toBe(false);
  });

  test('a prompted user may decide, but a caller may not', async () => {
    await using testbed = await openTestbed(processes);
    // The sandbox allows this write. Whether Codex retries a command outside of the sandbox is not predictable.
    const args = ['--max-sandbox', 'workspace-write'];
    const writes = { ...ASKS, sandbox: 'workspace-write' };
    const asked = await testbed.serve({ args, ...approving });
    expect(await (await start(asked, touch, writes)).settled()).toMatchObject({ status: 'done' });
    expect(existsSync(join(testbed.home.workDir, 'decided.txt'))).toBe(true);

    const silent = await testbed.serve({ args, ...approving, onRequest: () => new Promise(() => undefined) });
    const flow = await start(silent, touch, writes);
    expect(await flow.refusal((await flow.question()).id, 'approve')).toMatch(
      /^Only the user may decide this, prompted by the client/u,
    );
    await flow.interrupt();
  });

  test('a client of the modern era is prompted in its next call, and refused only without elicitation', async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve({ args: ['--max-sandbox', 'workspace-write'] });
    const call = (name: string, args: JsonObject, capabilities: JsonObject, more: JsonObject = {}) =>
      client.request('tools/call', { name, arguments: args, _meta: modernMeta(capabilities), ...more });
    const begin = async (capabilities: JsonObject) => {
      const args = { ...FREE, ...ASKS, sandbox: 'workspace-write', prompt: script(touch) };
      const { sessionId } = member(await call('codex_start', args, capabilities), 'structuredContent');
      return { sessionIds: [String(sessionId)], timeoutSeconds: 50 };
    };

    const silent = await call('codex_wait', await begin({}), {});
    expect(silent).toMatchObject({ structuredContent: { sessions: [{ status: 'done', result: 'went on' }] } });
    expect(existsSync(join(testbed.home.workDir, 'decided.txt'))).toBe(false);

    const elicitation = { elicitation: {} };
    const waited = await begin(elicitation);
    const asked = await call('codex_wait', waited, elicitation);
    expect(asked).toMatchObject({
      resultType: 'input_required',
      inputRequests: { q1: { method: 'elicitation/create' } },
    });
    const more = {
      requestState: String(asked['requestState']),
      inputResponses: { q1: { action: 'accept', content: { decision: 'approve' } } },
    };
    const done = await call('codex_wait', waited, elicitation, more);
    expect(done).toMatchObject({ structuredContent: { sessions: [{ status: 'done', result: 'went on' }] } });
    expect(existsSync(join(testbed.home.workDir, 'decided.txt'))).toBe(true);
  });

  test('with --approvals none everything is refused, even what a user would allow', async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve({ args: ['--approvals', 'none'], ...approving });
    expect(await (await start(client, touch, ASKS)).settled()).toMatchObject({ status: 'done' });
    expect([client.requests, existsSync(join(testbed.home.workDir, 'decided.txt'))]).toEqual([[], false]);
  });

  test('with --approvals any a caller decides within limits too', async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve({ args: ['--max-sandbox', 'read-only', '--approvals', 'any'] });
    const flow = await start(client, touch, ASKS);
    await flow.respond((await flow.question()).id, 'deny: not now');
    expect(await flow.settled()).toMatchObject({ status: 'done' });
  });
});
