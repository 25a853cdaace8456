import type { ServedClient } from '../../serve/served-client.ts';
import type { RequestId } from '../../wire/messages.ts';
import { type ApprovalPrompter, createElicitationPrompter } from '../approvals/prompter.ts';
import { describeApproval, toApprovalEvent, toElicitation } from './approval.ts';
import { readDecision } from './decision.ts';
import type { CallEvents } from './events/event-router.ts';

export interface CompatPrompterOptions {
  readonly threadId: string;
  /** The call whose turn asks. */
  readonly requestId: RequestId;
  readonly events: CallEvents;
  /** Whether somebody else could answer later. */
  readonly hasRespondTool: boolean;
  /** For what the result of the call must say besides. */
  readonly warn: (text: string) => void;
}

/**
 * Asks as the old server did, in a form that clients of today understand as well: a standard elicitation that also
 * carries the old members. A client that cannot be asked has refused: nobody else is there who could answer.
 */
export function createCompatPrompter(client: ServedClient, options: CompatPrompterOptions): ApprovalPrompter {
  const { events, warn } = options;
  const prompter: ApprovalPrompter = {
    async prompt(request, { signal }) {
      const approval = describeApproval(request, options);
      if (approval !== undefined) events.send(request.turnId ?? '', toApprovalEvent(approval));
      // Somebody may answer by another tool.
      if (!client.canBeAsked && options.hasRespondTool) return { kind: 'unanswered' };
      if (!client.canBeAsked) {
        warn('Codex asked for an approval and was refused, because the client cannot be asked (elicitation).');
        return { kind: 'refused' };
      }
      // The question ends, refused, when its own time is over: whoever is asked has all of it.
      const limits = { timeoutMs: MAX_PROMPT_MS, signal };
      const common = { threadId: options.threadId, codex_mcp_tool_call_id: String(options.requestId) };
      if (approval === undefined)
        return createElicitationPrompter((params) => client.ask({ ...params, ...common }, limits)).prompt(
          request,
          limits,
        );
      const outcome = readDecision(await client.ask(toElicitation(approval), limits), approval);
      if (outcome.kind === 'answers' && outcome.answers[0]?.startsWith('approve') === true)
        events.approved(request.itemId);
      return outcome;
    },
  };
  return options.hasRespondTool ? prompter : refuseWhenUnanswered(prompter);
}

/** Nobody else could answer: a closed dialog and an error are a no, as they always were. */
function refuseWhenUnanswered(prompter: ApprovalPrompter): ApprovalPrompter {
  return {
    async prompt(request, limits) {
      try {
        const outcome = await prompter.prompt(request, limits);
        return outcome.kind === 'unanswered' ? { kind: 'refused' } : outcome;
      } catch (error) {
        // It was settled in another way.
        if (limits.signal.aborted) throw error;
        return { kind: 'refused' };
      }
    },
  };
}

/** What a timer can hold. */
const MAX_PROMPT_MS = 2_000_000_000;
