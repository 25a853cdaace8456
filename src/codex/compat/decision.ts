import { isObject } from '../../wire/messages.ts';
import type { PromptOutcome } from '../approvals/prompter.ts';
import type { CompatApproval } from './approval.ts';

const REFUSED: PromptOutcome = { kind: 'refused' };

/**
 * Reads the decision of a client: a completed form, as current clients send it, or the old member `decision` beside
 * `action`. Fails closed: a response that is not understood, or contradicts itself, is a refusal. Only a response
 * without any decision, as from a closed dialog, leaves the request pending.
 */
export function readDecision(answer: unknown, { approvalRequest, request }: CompatApproval): PromptOutcome {
  const { action, decision, content } = isObject(answer) ? answer : {};
  const form = isObject(content) ? content : {};
  const decisions = [decision, form['decision']].filter((word) => word !== undefined && word !== null);
  if (decisions.length === 0) return action === 'accept' || action === 'decline' ? REFUSED : { kind: 'unanswered' };
  const options = approvalRequest.questions[0]?.options ?? [];
  const chosenOptions = decisions.map((word) => toOption(word, options, request['proposedExecpolicyAmendment']));
  const [first] = chosenOptions;
  const refusal = chosenOptions.find((option) => option === undefined || !option.startsWith('approve'));
  if (first === undefined || chosenOptions.includes(undefined)) return REFUSED;
  if (refusal !== undefined) return answerWith(refusal, form['reason'] ?? reasonOf(decision));
  if (action === 'decline' || action === 'cancel') return REFUSED;
  return answerWith(first, form['reason']);
}

/** Converts a decision of the app-server to its old name. */
export function toLegacyDecision(decision: unknown): unknown {
  if (typeof decision === 'string') return LEGACY_DECISIONS[decision] ?? decision;
  const rule = isObject(decision) ? decision['acceptWithExecpolicyAmendment'] : undefined;
  if (!isObject(rule)) return decision;
  return { approved_execpolicy_amendment: { proposed_execpolicy_amendment: rule['execpolicy_amendment'] } };
}

const LEGACY_DECISIONS: Readonly<Record<string, string>> = {
  accept: 'approved',
  acceptForSession: 'approved_for_session',
  decline: 'denied',
  cancel: 'abort',
};

/** Maps a decision, under its new or old name, to an option of the request. Returns undefined if there is none. */
function toOption(word: unknown, options: readonly string[], proposal: unknown): string | undefined {
  const decision = typeof word === 'string' ? word.trim().toLowerCase() : word;
  if (typeof decision === 'string' && options.includes(decision)) return decision;
  const name = isObject(decision) ? Object.keys(decision)[0] : decision;
  switch (name) {
    case 'approved':
      return 'approve';
    case 'approved_for_session':
      return offeredOr('approve_session', options, 'approve');
    case 'approved_execpolicy_amendment':
      // A client may only grant the rule that Codex proposed. For any other rule, only the command itself is approved.
      return isProposal(word, proposal) ? offeredOr('approve_rule', options, 'approve') : 'approve';
    case 'denied':
    case 'timed_out':
      return 'deny';
    case 'abort':
      return offeredOr('cancel', options, 'deny');
  }
  return undefined;
}

function offeredOr(option: string, options: readonly string[], otherwise: string): string {
  return options.includes(option) ? option : otherwise;
}

function isProposal(word: unknown, proposal: unknown): boolean {
  const rule = isObject(word) ? word['approved_execpolicy_amendment'] : undefined;
  const given = isObject(rule) ? rule['proposed_execpolicy_amendment'] : undefined;
  return given !== undefined && JSON.stringify(given) === JSON.stringify(proposal);
}

/** Reads the reason of `{ "denied": { "rejection": "…" } }`. */
function reasonOf(decision: unknown): unknown {
  const denied = isObject(decision) ? decision['denied'] : undefined;
  return isObject(denied) ? denied['rejection'] : undefined;
}

function answerWith(option: string, reason: unknown): PromptOutcome {
  const note = typeof reason === 'string' && reason.trim() !== '' ? `: ${reason}` : '';
  return { kind: 'answers', answers: [`${option}${note}`] };
}
