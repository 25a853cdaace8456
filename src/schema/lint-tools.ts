import { readDefinitionList } from './definitions/definition-list.ts';
import { applyProfile } from './profiles/apply-profile.ts';
import type { ProfileName } from './profiles/profile.ts';
import { PROFILES } from './profiles/registry.ts';

/** What a client would make of a list of tools. */
export interface LintedTools {
  readonly names: readonly string[];
  /** How many of them have to be written in another way for this client. */
  readonly rewritten: number;
  /** What was mended, for every client. */
  readonly repairs: readonly string[];
  /** Tools that no client can be offered. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
}

/** `pages` are those of the list, as the server wrote them. */
export function lintTools(pages: readonly Buffer[], profile: ProfileName): LintedTools {
  const { items, repairs, quarantined } = readDefinitionList('tools', pages);
  return {
    names: items.map(({ key }) => key),
    rewritten: items.filter((item) => applyProfile(PROFILES[profile], item).rewrites.length > 0).length,
    repairs: repairs.map(({ name, repair }) => `${name}: ${repair}`),
    unusable: quarantined.map(({ name = '(no name)', reason }) => ({ name, reason })),
  };
}
