import { readDefinitionList } from './definitions/definition-list.ts';
import { applyProfile } from './profiles/apply-profile.ts';
import type { ProfileName } from './profiles/profile.ts';
import { PROFILES } from './profiles/registry.ts';

/** The result of a check of a tool list for one client. */
export interface LintedTools {
  readonly names: readonly string[];
  /** How many of them must be rewritten for this client. */
  readonly rewritten: number;
  /** Repairs, which apply to every client. */
  readonly repairs: readonly string[];
  /** Tools that cannot be offered to any client. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
}

/** Checks a tool list. `pages` are its pages as the server wrote them. */
export function lintTools(pages: readonly Buffer[], profile: ProfileName): LintedTools {
  const { items, repairs, quarantined } = readDefinitionList('tools', pages);
  return {
    names: items.map(({ key }) => key),
    rewritten: items.filter((item) => applyProfile(PROFILES[profile], item).rewrites.length > 0).length,
    repairs: repairs.map(({ name, repair }) => `${name}: ${repair}`),
    unusable: quarantined.map(({ name = '(no name)', reason }) => ({ name, reason })),
  };
}
