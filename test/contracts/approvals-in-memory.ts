import { Approvals, type Deciders } from '../../src/codex/approvals/approvals.ts';
import type { ApprovalPrompter, PromptOutcome } from '../../src/codex/approvals/prompter.ts';
import { createChoice } from '../../src/codex/engines/app-server/approvals/choice.ts';
import { Session } from '../../src/codex/sessions/session.ts';

export const APPROVAL_TIMEOUT_MS = 10_000;

/** A session with a running turn, and a question with the answers yes, no and stop. */
export function openApprovals({
  hasAsker = false,
  canPromptInCalls = false,
  deciders = 'any',
}: {
  readonly hasAsker?: boolean;
  readonly canPromptInCalls?: boolean;
  readonly deciders?: Deciders;
} = {}) {
  const session = new Session({ sessionId: 's', cwd: '/project' }, {}, { maxEvents: 10, runId: 'ab' });
  session.beginTurn();
  const order: string[] = [];
  const answers: unknown[] = [];
  let requestCount = 0;
  let canTell = true;
  let reply: (verdict: PromptOutcome | Error) => void = () => {};
  let asking: { timeoutMs: number; signal: AbortSignal } | undefined;
  const asker: ApprovalPrompter = {
    prompt: (_, limits) =>
      new Promise((resolve, reject) => {
        asking = limits;
        reply = (verdict) => (verdict instanceof Error ? reject(verdict) : resolve(verdict));
      }),
  };
  session.prompter = hasAsker ? asker : undefined;
  session.canPromptInCalls = canPromptInCalls;
  const approvals = new Approvals({
    deciders,
    allowsPermanent: false,
    timeoutMs: APPROVAL_TIMEOUT_MS,
    async sendToModel(_, text) {
      if (!canTell) throw new Error('nobody listens');
      order.push(`tell ${text}`);
    },
    log: { info: () => {}, debug: () => {} },
  });
  const ask = (): string => {
    const answer = (response: unknown) => {
      answers.push(response);
      order.push(`answer ${response}`);
    };
    void approvals.add(session, { request: REQUEST, requestId: requestCount++, threadId: 's' }).then(answer);
    return session.pendingApprovals.at(-1)?.id ?? '';
  };
  return {
    approvals,
    session,
    order,
    answers,
    ask,
    asker,
    withdraw: () => approvals.withdraw(session, ({ requestId }) => requestId === requestCount - 1),
    failTelling: () => {
      canTell = false;
    },
    reply: (verdict: PromptOutcome | Error) => reply(verdict),
    asking: () => ({ timeoutMs: asking?.timeoutMs, isAborted: asking?.signal.aborted }),
  };
}

const REQUEST = createChoice({
  type: 'command_approval',
  params: {},
  lines: ['Codex wants to execute: ls'],
  details: {},
  answers: [
    ['approve', 'yes'],
    ['deny', 'no'],
    ['cancel', 'stop'],
  ],
  refusal: 'no',
  cancellation: 'stop',
});
