import type { ServedClient } from '../../serve/served-client.ts';
import type { RequestId } from '../../wire/messages.ts';
import { type Asker, createAsker } from '../approvals/prompter.ts';
import { describeApproval, toApprovalEvent, toElicitation } from './approval.ts';
import { readDecision } from './decision.ts';
import type { CallEvents } from './events/event-router.ts';

export interface CompatAskerOptions {
  readonly threadId: string;
  /** The call whose turn asks. */
  readonly requestId: RequestId;
  readonly events: CallEvents;
  /** Whether somebody else could answer later. */
  readonly hasQueue: boolean;
  /** For what the result of the call must say besides. */
  readonly warn: (text: string) => void;
}

/**
 * Asks as the old server did, in a form that clients of today understand as well: a standard elicitation that also
 * carries the old members. A client that cannot be asked has refused: nobody else is there who could answer.
 */
export function createCompatAsker(client: ServedClient, options: CompatAskerOptions): Asker {
  const { events, warn } = options;
  const asker: Asker = {
    async ask(question, { signal }) {
      const approval = describeApproval(question, options);
      if (approval !== undefined) events.send(question.turnId ?? '', toApprovalEvent(approval));
      // Somebody may answer by another tool.
      if (!client.canBeAsked && options.hasQueue) return { kind: 'unanswered' };
      if (!client.canBeAsked) {
        warn('Codex asked for an approval and was refused, because the client cannot be asked (elicitation).');
        return { kind: 'refused' };
      }
      // The question ends, refused, when its own time is over: whoever is asked has all of it.
      const limits = { timeoutMs: LONG_MS, signal };
      const common = { threadId: options.threadId, codex_mcp_tool_call_id: String(options.requestId) };
      if (approval === undefined)
        return createAsker((params) => client.ask({ ...params, ...common }, limits)).ask(question, limits);
      const verdict = readDecision(await client.ask(toElicitation(approval), limits), approval);
      if (verdict.kind === 'answers' && verdict.answers[0]?.startsWith('approve') === true)
        events.approved(question.itemId);
      return verdict;
    },
  };
  return options.hasQueue ? asker : refusing(asker);
}

/** Nobody else could answer: a closed dialog and an error are a no, as they always were. */
function refusing(asker: Asker): Asker {
  return {
    async ask(question, limits) {
      try {
        const verdict = await asker.ask(question, limits);
        return verdict.kind === 'unanswered' ? { kind: 'refused' } : verdict;
      } catch (error) {
        // It was settled in another way.
        if (limits.signal.aborted) throw error;
        return { kind: 'refused' };
      }
    },
  };
}

/** What a timer can hold. */
const LONG_MS = 2_000_000_000;
