import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type JsonObject, objectsOf } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { sdkKinds } from '../interop/sdk-client.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { openSdkFlow, type SdkFlow } from './flow-sdk.ts';
import { lastPart, member, requestsOf } from './flow-session.ts';
import { eventually, FREE, openTestbed, type Testbed } from './testbed.ts';

const processes = trackProcesses();
const touch = (name: string): readonly Step[] => [{ shell: `touch ${name}` }, { message: 'went on' }];
const patch = (name: string): readonly Step[] => [
  { patch: `*** Begin Patch\n*** Add File: ${name}\n+hi\n*** End Patch` },
  { message: 'went on' },
];

/** Starts a session that plays these steps, in the folder of the testbed. */
const start = async (flow: SdkFlow, testbed: Testbed, steps: readonly Step[], args: JsonObject = {}) => {
  const given = { ...FREE, workingDirectory: testbed.home.workDir, prompt: script(steps), ...args };
  return String((await flow.call('codex_start', given))['sessionId']);
};
const settled = async (flow: SdkFlow, sessionId: string) =>
  objectsOf((await flow.call('codex_wait', { sessionIds: [sessionId] }))['sessions'])[0] ?? {};
const exists = ({ home }: Testbed, name: string) => existsSync(join(home.workDir, name));

describe.each(sdkKinds)('the official client (%s)', (kind) => {
  verifies(
    ['codex:server:stdio', 'codex:status:polling', 'codex:approval:never'],
    'runs without approvals and polls',
    async () => {
      await using testbed = await openTestbed(processes);
      await using flow = await openSdkFlow(kind, testbed);
      const steps: readonly Step[] = [
        ...patch('made.txt').slice(0, 1),
        { shell: 'cat made.txt' },
        { message: 'all done' },
      ];
      const sessionId = await start(flow, testbed, steps, { approvalPolicy: 'never' });
      const status = await eventually(async () => {
        const now = await flow.call('codex_status', { sessionId });
        return now['status'] === 'active' ? undefined : now;
      });
      expect(status).toMatchObject({
        status: 'done',
        result: 'all done',
        filesChanged: [{ path: join(testbed.home.workDir, 'made.txt'), kind: 'add' }],
      });
      const more = { sessionId, message: script([{ message: 'and more' }]), waitSeconds: 50 };
      expect(await flow.call('codex_say', more)).toMatchObject({ status: 'done', result: 'and more' });
      expect(await flow.call('codex_list')).toMatchObject({ sessions: [{ sessionId, isActive: false }] });
      const gone = await flow.text('codex_status', { sessionId: 'nobody' });
      expect(gone).toContain('There is no session nobody');
    },
  );

  verifies(
    ['codex:approval:elicitation', 'codex:approval:elicitation-accept', 'codex:approval:elicitation-deny'],
    'is asked for approvals, and its answers apply',
    async () => {
      await using testbed = await openTestbed(processes);
      const asked: string[] = [];
      const answers = new Map<RegExp, { decision: string; reason?: string } | 'decline' | 'cancel' | 'throw'>([
        [/touch approved/u, { decision: 'approve' }],
        [/touch denied/u, { decision: 'deny', reason: 'not that' }],
        [/patched\.txt/u, { decision: 'approve' }],
        [/refused\.txt/u, 'decline'],
        [/touch dismissed/u, 'cancel'],
        [/touch failed/u, 'throw'],
      ]);
      const elicitation = (params: object) => {
        const message = String('message' in params ? params.message : '');
        asked.push(message.split('\n')[0] ?? '');
        const [, answer] = [...answers].find(([pattern]) => pattern.test(message)) ?? [];
        if (answer === 'throw' || answer === undefined) throw new Error('no dialog here');
        if (typeof answer === 'string') return { action: answer } as const;
        return { action: 'accept', content: { ...answer } } as const;
      };
      await using flow = await openSdkFlow(kind, testbed, { elicitation });
      const untrusted = { approvalPolicy: 'untrusted' };
      const run = async (steps: readonly Step[]) => {
        const sessionId = await start(flow, testbed, steps, untrusted);
        const end: JsonObject = await settled(flow, sessionId);
        return { sessionId, status: end['status'], pendingQuestion: end['pendingQuestion'] };
      };
      const [approved, denied, patched, refused, dismissed, failed] = await Promise.all([
        run(touch('approved.txt')),
        run(touch('denied.txt')),
        run(patch('patched.txt')),
        run(patch('refused.txt')),
        run(touch('dismissed.txt')),
        run(touch('failed.txt')),
      ]);
      expect([approved, denied, patched, refused].map(({ status }) => status)).toEqual(Array(4).fill('done'));
      expect([dismissed, failed].map(({ status }) => status)).toEqual(Array(2).fill('awaiting_approval'));
      const names = ['approved', 'denied', 'patched', 'refused', 'dismissed', 'failed'];
      expect(names.filter((name) => exists(testbed, `${name}.txt`))).toEqual(['approved', 'patched']);
      expect(asked).toHaveLength(6);
      const reason = requestsOf(testbed.model, denied.sessionId).at(-1);
      expect(reason === undefined ? [] : lastPart(reason).at(-1)).toEqual(['user', 'Denied: not that']);
      // The tool answers what the dialog left open.
      for (const { sessionId, ...status } of [dismissed, failed]) {
        const id = member(status, 'pendingQuestion')['id'];
        await flow.call('codex_respond', { sessionId, id, answers: ['approve'] });
        expect(await settled(flow, sessionId)).toMatchObject({ status: 'done' });
      }
      expect(exists(testbed, 'dismissed.txt') && exists(testbed, 'failed.txt')).toBe(true);
    },
  );

  verifies(
    [
      'codex:approval:elicitation-fallback',
      'codex:respond:approve',
      'codex:respond:deny',
      'codex:respond:same-for-both',
    ],
    'without elicitation polls and answers with codex_respond',
    async () => {
      await using testbed = await openTestbed(processes);
      await using flow = await openSdkFlow(kind, testbed);
      const answer = async (steps: readonly Step[], reply: string) => {
        const sessionId = await start(flow, testbed, steps, { approvalPolicy: 'untrusted' });
        const question = await eventually(async () => {
          const status = await flow.call('codex_status', { sessionId });
          return status['status'] === 'awaiting_approval' ? member(status, 'pendingQuestion') : undefined;
        });
        await flow.call('codex_respond', { sessionId, id: question['id'], answers: [reply] });
        return [question['type'], (await settled(flow, sessionId))['status']];
      };
      expect(
        await Promise.all([
          answer(touch('yes.txt'), 'approve'),
          answer(touch('no.txt'), 'deny: too risky'),
          answer(patch('patch-yes.txt'), 'approve: once'),
          answer(patch('patch-no.txt'), 'deny'),
        ]),
      ).toEqual([
        ['command_approval', 'done'],
        ['command_approval', 'done'],
        ['patch_approval', 'done'],
        ['patch_approval', 'done'],
      ]);
      const names = ['yes.txt', 'no.txt', 'patch-yes.txt', 'patch-no.txt'];
      expect(names.filter((name) => exists(testbed, name))).toEqual(['yes.txt', 'patch-yes.txt']);
    },
  );

  test('interrupts, cancels, waits for three sessions and subscribes to a resource', async () => {
    await using testbed = await openTestbed(processes);
    await using flow = await openSdkFlow(kind, testbed);
    const hanging = await start(flow, testbed, [{ hang: true }]);
    expect(await flow.call('codex_interrupt', { sessionId: hanging })).toMatchObject({ status: 'interrupted' });

    const ids = await Promise.all(['a', 'b', 'c'].map((message) => start(flow, testbed, [{ message }])));
    const uri = `codex://sessions/${ids[0]}`;
    await flow.client.sdk.subscribeResource({ uri });
    expect(await flow.call('codex_wait', { sessionIds: ids })).toMatchObject({
      isOver: true,
      sessions: [{ result: 'a' }, { result: 'b' }, { result: 'c' }],
    });
    await flow.call('codex_say', { sessionId: ids[0], message: script([{ message: 'more' }]), waitSeconds: 50 });
    await flow.client.waitFor(
      ({ method, params }) => method === 'notifications/resources/updated' && params?.['uri'] === uri,
    );
    expect(await flow.client.sdk.readResource({ uri: `${uri}/transcript` })).toMatchObject({
      contents: [{ mimeType: 'text/markdown', text: expect.stringContaining('**Codex**\n\nmore') }],
    });

    const stop = new AbortController();
    const waited = flow.client.callTool(
      'codex_wait',
      { sessionIds: [await start(flow, testbed, [{ hang: true }])] },
      {
        signal: stop.signal,
      },
    );
    stop.abort();
    await expect(waited).rejects.toThrow();
  });
});
