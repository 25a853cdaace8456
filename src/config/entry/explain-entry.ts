import { type MergedFiles, trustCommand } from '../merge-files.ts';
import { formatLocation } from '../problem.ts';
import type { Origin } from '../server-entry.ts';
import { type ExplainedKeys, explainKeys } from './explain-keys.ts';

/** The origin of every setting of one server. All texts are safe to display. */
export interface ExplainedEntry extends ExplainedKeys {
  readonly id: string;
  /** Entries of the same name that have no effect, in order of precedence. */
  readonly overridden: readonly (Origin & { readonly why: string })[];
}

/** Explains one server; undefined if no file has one of this name. */
export function explainEntry(
  { candidates, chosen }: Pick<MergedFiles, 'candidates' | 'chosen'>,
  serverId: string,
): ExplainedEntry | undefined {
  const effective = chosen.get(serverId);
  if (effective === undefined) return undefined;
  const others = candidates.filter((candidate) => candidate.entry.id === serverId && candidate !== effective);
  return {
    id: serverId,
    ...explainKeys(effective.file, effective.entry),
    overridden: others.map(({ entry, isTrusted: hasTrust }) => ({
      ...entry.origin,
      why: hasTrust
        ? `the entry in ${formatLocation(effective.entry.origin.file, effective.entry.origin.line)} takes precedence`
        : `untrusted: run ${trustCommand(entry.origin)}`,
    })),
  };
}
