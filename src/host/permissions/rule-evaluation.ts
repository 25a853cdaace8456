import type { Rule, RuleSubject } from './rules.ts';

/** Result of the rules for a call, without asking a person. */
export type RuleResult =
  | { readonly kind: 'decided'; readonly rule: Rule; readonly index: number }
  | {
      readonly kind: 'ask';
      /** The rule that requires confirmation, if any. */
      readonly rule: Rule | undefined;
      /** Whether it is unclear if the rule matches. Remembered permissions do not cover such a call. */
      readonly isUnclear: boolean;
    };

/**
 * Applies the first rule that matches. If a match depends on how a tool reads its arguments, evaluates both outcomes
 * and returns the stricter one: an ambiguous duplicate must never grant more than the value alone.
 */
export function applyRules(rules: readonly Rule[], call: RuleSubject): RuleResult {
  /** A confirm rule that may match. If it does, no later rule can be more lenient, but a refusal is stricter. */
  let ambiguousRule: Rule | undefined;
  for (const [index, rule] of rules.entries()) {
    const match = rule.match(call);
    if (match === 'no') continue;
    if (rule.decide === 'deny') return { kind: 'decided', rule, index };
    if (match === 'yes' && ambiguousRule !== undefined) break;
    if (match === 'yes')
      return rule.decide === 'allow' ? { kind: 'decided', rule, index } : { kind: 'ask', rule, isUnclear: false };
    // An allow rule that may match grants nothing; evaluation continues with the next rule.
    if (rule.decide === 'confirm') ambiguousRule ??= rule;
  }
  return { kind: 'ask', rule: ambiguousRule, isUnclear: ambiguousRule !== undefined };
}
