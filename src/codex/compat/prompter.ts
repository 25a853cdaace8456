import type { ToolContext } from '../../serve/context.ts';
import type { ServedClient } from '../../serve/served-client.ts';
import type { RequestId } from '../../wire/messages.ts';
import {
  type ApprovalPrompter,
  createCallPrompter,
  createElicitationPrompter,
  type PromptOutcome,
} from '../approvals/prompter.ts';
import { describeApproval, toApprovalEvent, toElicitation } from './approval.ts';
import { readDecision } from './decision.ts';
import type { CallEvents } from './events/event-router.ts';

export interface CompatPrompterOptions {
  readonly threadId: string;
  /** The call whose turn sends the approval request. */
  readonly requestId: RequestId;
  readonly events: CallEvents;
  /** Whether `codex_respond` is available to respond later. */
  readonly hasRespondTool: boolean;
  /** Prompts within the call, for a client of the modern era that supports elicitation. */
  readonly elicitInCall: ToolContext['elicit'] | undefined;
  /** Adds a warning to the result of the call. */
  readonly warn: (text: string) => void;
}

/**
 * Prompts like the old server, in a form that current clients understand as well: a standard elicitation that also
 * carries the old members. A client without elicitation counts as a refusal, unless `codex_respond` is available.
 */
export function createCompatPrompter(client: ServedClient, options: CompatPrompterOptions): ApprovalPrompter {
  const { events, warn, elicitInCall } = options;
  const prompter: ApprovalPrompter = {
    isPartOfCall: true,
    async prompt(request, { signal }) {
      const approval = describeApproval(request, options);
      if (approval !== undefined) events.send(request.turnId ?? '', toApprovalEvent(approval));
      if (elicitInCall !== undefined) {
        const outcome = await createCallPrompter(elicitInCall).prompt(request, { timeoutMs: MAX_PROMPT_MS, signal });
        if (isApproval(outcome)) events.approved(request.itemId);
        return outcome;
      }
      // Another caller may respond through `codex_respond`.
      if (!client.canBeAsked && options.hasRespondTool) return { kind: 'unsupported' };
      if (!client.canBeAsked) {
        warn('Codex requested an approval, which was refused because the client does not support elicitation.');
        return { kind: 'refused' };
      }
      // The request is refused when its own timeout expires. Until then, the prompt stays open.
      const limits = { timeoutMs: MAX_PROMPT_MS, signal, relatedRequestId: options.requestId };
      const common = { threadId: options.threadId, codex_mcp_tool_call_id: String(options.requestId) };
      if (approval === undefined)
        return createElicitationPrompter((params) => client.ask({ ...params, ...common }, limits)).prompt(
          request,
          limits,
        );
      const outcome = readDecision(await client.ask(toElicitation(approval), limits), approval);
      if (isApproval(outcome)) events.approved(request.itemId);
      return outcome;
    },
  };
  return options.hasRespondTool ? prompter : refuseWhenUnanswered(prompter);
}

function isApproval(outcome: PromptOutcome): boolean {
  return outcome.kind === 'answers' && outcome.answers[0]?.startsWith('approve') === true;
}

/** Treats a closed dialog and an error as a refusal, as the old server did, because no other tool could respond. */
function refuseWhenUnanswered(prompter: ApprovalPrompter): ApprovalPrompter {
  return {
    isPartOfCall: true,
    async prompt(request, limits) {
      try {
        const outcome = await prompter.prompt(request, limits);
        return outcome.kind === 'unanswered' ? { kind: 'refused' } : outcome;
      } catch (error) {
        // The request was settled in another way.
        if (limits.signal.aborted) throw error;
        return { kind: 'refused' };
      }
    },
  };
}

/** Close to the longest delay that a timer supports. */
const MAX_PROMPT_MS = 2_000_000_000;
