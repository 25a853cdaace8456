import type { Rule, RuleSubject } from './rules.ts';

/** What the rules say of a call, without a person. */
export type RuleResult =
  | { readonly kind: 'decided'; readonly rule: Rule; readonly index: number }
  | {
      readonly kind: 'ask';
      /** The one that wants a person to be asked, if any does. */
      readonly rule: Rule | undefined;
      /** No rule is sure of the call: a permission of before was not given for such a one. */
      readonly isUnclear: boolean;
    };

/**
 * The first rule that matches counts. Where it depends on how a tool reads its arguments whether one does, the rules are
 * followed both ways, and the strictest outcome counts: to say a thing twice must never give more than to say it once.
 */
export function applyRules(rules: readonly Rule[], call: RuleSubject): RuleResult {
  /** It asks if it matches. Then nothing that follows can do better, but a refusal is stricter. */
  let doubtful: Rule | undefined;
  for (const [index, rule] of rules.entries()) {
    const match = rule.match(call);
    if (match === 'no') continue;
    if (rule.decide === 'deny') return { kind: 'decided', rule, index };
    if (match === 'yes' && doubtful !== undefined) break;
    if (match === 'yes')
      return rule.decide === 'allow' ? { kind: 'decided', rule, index } : { kind: 'ask', rule, isUnclear: false };
    // A permission that is not sure is none, and the next rule is looked at.
    if (rule.decide === 'confirm') doubtful ??= rule;
  }
  return { kind: 'ask', rule: doubtful, isUnclear: doubtful !== undefined };
}
