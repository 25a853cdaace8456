import { readList } from '../schema/list.ts';
import { PROFILES } from '../schema/profiles/all.ts';
import { applyProfile } from '../schema/profiles/apply.ts';
import type { ProfileName } from '../schema/profiles/profile.ts';

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
  const { items, repairs, quarantined } = readList('tools', pages);
  return {
    names: items.map(({ key }) => key),
    rewritten: items.filter((item) => applyProfile(PROFILES[profile], item).rewrites.length > 0).length,
    repairs: repairs.map(({ name, repair }) => `${name}: ${repair}`),
    unusable: quarantined.map(({ name = '(no name)', reason }) => ({ name, reason })),
  };
}
