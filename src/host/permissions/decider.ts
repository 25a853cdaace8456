import { type ArgumentsSnapshot, snapshotArguments } from './arguments-snapshot.ts';
import { CANCELLED, type Confirm, requestConfirmation } from './confirmation.ts';
import { displayName, toPermissionQuestion } from './confirmation-question.ts';
import { createConfirmationQueue } from './confirmation-queue.ts';
import type { Decision, PermissionRequest } from './permission-options.ts';
import {
  addDecision,
  canBeRemembered,
  type DecisionLookup,
  type DecisionSubject,
  findDecision,
  type RememberedDecision,
  type Scope,
  subjectOf,
} from './remembered-decisions.ts';
import type { RememberedStore } from './remembered-store.ts';
import { applyRules } from './rule-evaluation.ts';
import type { Rule } from './rules.ts';
import { readHints, type ToolHints } from './tool-hints.ts';

/** The result of a decision, without the call. */
export type Outcome = Pick<Decision, 'isAllowed' | 'by' | 'reason'>;

interface DeciderOptions {
  readonly rules: readonly Rule[];
  readonly confirm: Confirm | undefined;
  readonly store: RememberedStore;
  readonly now: () => number;
  readonly warn: (text: string) => void;
  /** Aborts when the host closes and asks nobody any more. */
  readonly closing?: AbortSignal | undefined;
}

interface PendingDecision {
  readonly call: PermissionRequest;
  readonly argumentsSnapshot: ArgumentsSnapshot;
  readonly hints: ToolHints;
  /** The rule that requires confirmation, if any. */
  readonly rule: Rule | undefined;
  /** Whether it is unclear if the rule matches, because the arguments can be read in more than one way. */
  readonly isUnclear: boolean;
  readonly subject: DecisionSubject;
}

/**
 * Decides by the rules first, then by remembered decisions, then by asking a person. Only calls that need a person wait
 * in the queue.
 */
export function createDecider({ rules, confirm, store, now, warn, closing }: DeciderOptions) {
  const queue = createConfirmationQueue(MAX_QUEUED_CONFIRMATIONS);

  /** A remembered permission covers only calls that can be read in one way; a remembered refusal covers all. */
  const lookUp = ({ subject, isUnclear }: Pick<PendingDecision, 'subject' | 'isUnclear'>): DecisionLookup => {
    const found = findDecision(store.read(), subject);
    const isPermission = found.kind === 'decided' && found.decision.isAllowed;
    return isUnclear && isPermission ? { kind: 'nothing' } : found;
  };

  const confirmWithUser = async (pending: PendingDecision, callSignal: AbortSignal | undefined): Promise<Outcome> => {
    if (confirm === undefined) return unanswered(NO_CONFIRM_CALLBACK);
    const signal =
      callSignal === undefined || closing === undefined
        ? (callSignal ?? closing)
        : AbortSignal.any([callSignal, closing]);
    const turn = await queue.wait(signal);
    if (turn.kind === 'aborted') return unanswered(CANCELLED.reason);
    if (turn.kind === 'full') return unanswered('too many confirmations are pending');
    try {
      // The answer to an earlier confirmation may cover this call.
      const found = lookUp(pending);
      if (found.kind === 'decided') return remembered(found.decision);
      const why = confirmationReason(pending, found.kind === 'changed' ? found.decision : undefined);
      const answer = await requestConfirmation(confirm, toPermissionQuestion({ ...pending, why }), signal);
      if (answer.kind === 'unanswered') return unanswered(answer.reason);
      const { isAllowed, remember: scope, reason } = answer;
      if (scope !== undefined) await remember(pending.subject, { scope, isAllowed });
      return { isAllowed, by: 'person', reason };
    } finally {
      turn.end();
    }
  };

  const remember = async (subject: DecisionSubject, answer: { readonly scope: Scope; readonly isAllowed: boolean }) => {
    if (!canBeRemembered(subject))
      return warn(
        `The decision is not remembered: the name ${displayName(subject.tool)} is too long, or contains a NUL.`,
      );
    await store.update((decisions) => addDecision(decisions, { subject, ...answer, at: now() }));
  };

  return async (call: PermissionRequest, signal: AbortSignal | undefined): Promise<Outcome> => {
    let snapshot: ArgumentsSnapshot | undefined;
    const takeSnapshot = () => {
      snapshot ??= snapshotArguments(call.arguments);
      return snapshot;
    };
    const { server, kind, tool } = call;
    const ruleSubject = {
      server,
      kind,
      tool,
      hints: () => readHints(call.annotations),
      arguments: () => takeSnapshot().json,
    };
    const ruleResult = applyRules(rules, ruleSubject);
    if (ruleResult.kind === 'decided') return toRuleOutcome(ruleResult.rule, ruleResult.index);
    const { rule, isUnclear } = ruleResult;
    const argumentsSnapshot = takeSnapshot();
    const subject = subjectOf(call, argumentsSnapshot);
    const found = lookUp({ subject, isUnclear });
    if (found.kind === 'decided') return remembered(found.decision);
    return confirmWithUser({ call, argumentsSnapshot, hints: ruleSubject.hints(), rule, isUnclear, subject }, signal);
  };
}

/** Limit of waiting confirmations. Calls beyond it are denied, because they arrive faster than a person can read. */
const MAX_QUEUED_CONFIRMATIONS = 256;

const NO_CONFIRM_CALLBACK =
  'it requires confirmation by a person, but the host has no `confirm`: add it, or a rule that allows the call';

const UNCLEAR = 'its arguments are ambiguous, so no earlier permission applies';

function toRuleOutcome({ decide, why }: Rule, index: number): Outcome {
  const isAllowed = decide === 'allow';
  return { isAllowed, by: 'rule', reason: why ?? `rules[${index}] ${isAllowed ? 'allows' : 'denies'} it` };
}

function remembered({ scope, isAllowed }: RememberedDecision): Outcome {
  const what = { server: 'everything of this server', tool: 'this tool', arguments: 'exactly this call' }[scope];
  return { isAllowed, by: 'remembered', reason: `a person ${isAllowed ? 'allowed' : 'denied'} ${what} before` };
}

function unanswered(reason: string): Outcome {
  return { isAllowed: false, by: 'default', reason };
}

function confirmationReason({ rule, isUnclear }: PendingDecision, outdated: RememberedDecision | undefined): string {
  const reason =
    rule === undefined ? 'no rule applies to it' : (rule.why ?? 'a rule requires confirmation by a person');
  const why = isUnclear ? `${reason}; ${UNCLEAR}` : reason;
  if (outdated === undefined) return why;
  return `it has changed since you ${outdated.isAllowed ? 'agreed' : 'refused'}; ${why}`;
}
