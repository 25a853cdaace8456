import { type TakenArguments, takeArguments } from './arguments-snapshot.ts';
import { askPerson, CANCELLED, type Confirm } from './confirmation.ts';
import { shownName, toQuestion } from './confirmation-question.ts';
import { createLine } from './confirmation-queue.ts';
import type { AskedCall, Decision } from './permissions.ts';
import {
  addDecision,
  canBeRemembered,
  type Found,
  findDecision,
  type RememberedDecision,
  type Scope,
  type Subject,
  subjectOf,
} from './remembered-decisions.ts';
import type { RememberedStore } from './remembered-store.ts';
import { applyRules } from './rule-evaluation.ts';
import type { Rule } from './rules.ts';
import { readHints, type ToolHints } from './tool-hints.ts';

/** The decision about a call, without the call. */
export type Verdict = Pick<Decision, 'isAllowed' | 'by' | 'reason'>;

interface JudgeOptions {
  readonly rules: readonly Rule[];
  readonly confirm: Confirm | undefined;
  readonly store: RememberedStore;
  readonly now: () => number;
  readonly warn: (text: string) => void;
  /** Fires when nobody will be asked any more. */
  readonly closing?: AbortSignal | undefined;
}

interface Asked {
  readonly call: AskedCall;
  readonly taken: TakenArguments;
  readonly hints: ToolHints;
  /** The one that wants a person to be asked, if any does. */
  readonly rule: Rule | undefined;
  /** No rule is sure of it. */
  readonly isUnclear: boolean;
  readonly subject: Subject;
}

/** First the rules, then what people have said before, then a person. Only who needs a person waits for one. */
export function createJudge({ rules, confirm, store, now, warn, closing }: JudgeOptions) {
  const line = createLine(MAX_WAITING_QUESTIONS);

  /** A permission was given for calls that can be read in one way; a refusal counts for all. */
  const lookUp = ({ subject, isUnclear }: Pick<Asked, 'subject' | 'isUnclear'>): Found => {
    const found = findDecision(store.read(), subject);
    const isPermission = found.kind === 'decided' && found.decision.isAllowed;
    return isUnclear && isPermission ? { kind: 'nothing' } : found;
  };

  const ask = async (asked: Asked, given: AbortSignal | undefined): Promise<Verdict> => {
    if (confirm === undefined) return unanswered(NOBODY_TO_ASK);
    const signal =
      given === undefined || closing === undefined ? (given ?? closing) : AbortSignal.any([given, closing]);
    const place = await line.wait(signal);
    if (place.kind === 'aborted') return unanswered(CANCELLED.reason);
    if (place.kind === 'full') return unanswered('too many questions wait for a person');
    try {
      // The answer to a question before this one may cover it.
      const found = lookUp(asked);
      if (found.kind === 'decided') return remembered(found.decision);
      const why = whyAsked(asked, found.kind === 'changed' ? found.decision : undefined);
      const answer = await askPerson(confirm, toQuestion({ ...asked, why }), signal);
      if (answer.kind === 'unanswered') return unanswered(answer.reason);
      const { isAllowed, remember: scope, reason } = answer;
      if (scope !== undefined) await remember(asked.subject, { scope, isAllowed });
      return { isAllowed, by: 'person', reason };
    } finally {
      place.end();
    }
  };

  const remember = async (subject: Subject, answer: { readonly scope: Scope; readonly isAllowed: boolean }) => {
    if (!canBeRemembered(subject))
      return warn(`The decision is not remembered: ${shownName(subject.tool)} is too long a name, or has a NUL in it.`);
    await store.change((decisions) => addDecision(decisions, { subject, ...answer, at: now() }));
  };

  return async (call: AskedCall, signal: AbortSignal | undefined): Promise<Verdict> => {
    let kept: TakenArguments | undefined;
    const take = () => {
      kept ??= takeArguments(call.arguments);
      return kept;
    };
    const { server, kind, tool } = call;
    const judged = {
      server,
      kind,
      tool,
      hints: () => readHints(call.annotations),
      arguments: () => take().json,
    };
    const ruling = applyRules(rules, judged);
    if (ruling.kind === 'decided') return ruled(ruling.rule, ruling.index);
    const { rule, isUnclear } = ruling;
    const taken = take();
    const subject = subjectOf(call, taken);
    const found = lookUp({ subject, isUnclear });
    if (found.kind === 'decided') return remembered(found.decision);
    return ask({ call, taken, hints: judged.hints(), rule, isUnclear, subject }, signal);
  };
}

/** Whoever makes calls faster than a person reads is told so. */
const MAX_WAITING_QUESTIONS = 256;

const NOBODY_TO_ASK =
  'it needs the confirmation of a person, and there is nobody to ask: give the host `confirm`, or a rule that allows it';

const UNCLEAR = 'its arguments can be read in more than one way, so no permission of before counts';

function ruled({ decide, why }: Rule, index: number): Verdict {
  const isAllowed = decide === 'allow';
  return { isAllowed, by: 'rule', reason: why ?? `rules[${index}] ${isAllowed ? 'allows' : 'denies'} it` };
}

function remembered({ scope, isAllowed }: RememberedDecision): Verdict {
  const what = { server: 'everything of this server', tool: 'this tool', arguments: 'this very call' }[scope];
  return { isAllowed, by: 'remembered', reason: `a person ${isAllowed ? 'allowed' : 'denied'} ${what} before` };
}

function unanswered(reason: string): Verdict {
  return { isAllowed: false, by: 'default', reason };
}

function whyAsked({ rule, isUnclear }: Asked, outdated: RememberedDecision | undefined): string {
  const reason = rule === undefined ? 'no rule decides about it' : (rule.why ?? 'a rule wants a person to be asked');
  const why = isUnclear ? `${reason}; ${UNCLEAR}` : reason;
  if (outdated === undefined) return why;
  return `it is not what it was when you ${outdated.isAllowed ? 'agreed' : 'refused'}; ${why}`;
}
