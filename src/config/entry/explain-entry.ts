import { needsTrustCheck, readSourceFiles } from '../files/source-files.ts';
import type { LoadOptions } from '../load-config.ts';
import { chooseEntries, trustCommand } from '../merge-files.ts';
import { formatLocation } from '../problem.ts';
import type { Origin } from '../server-entry.ts';
import { openTrustCheck } from '../trust/trust-check.ts';
import { type ExplainedKeys, explainKeys } from './explain-keys.ts';

/** The origin of every setting of one server. All texts are safe to display. */
export interface ExplainedEntry extends ExplainedKeys {
  readonly id: string;
  /** Entries of the same name that have no effect, in order of precedence. */
  readonly overridden: readonly (Origin & { readonly why: string })[];
}

/**
 * Explains one server; undefined if no file has one of this name. Throws if an explicitly named file cannot be used.
 */
export function explainEntry(options: LoadOptions, serverId: string): ExplainedEntry | undefined {
  const { files } = readSourceFiles(options);
  const isTrusted = needsTrustCheck(files, options.env) ? openTrustCheck(options).isTrusted : () => true;
  const { candidates, chosen } = chooseEntries(files, isTrusted);
  const effective = chosen.get(serverId);
  if (effective === undefined) return undefined;
  const others = candidates.filter((candidate) => candidate.entry.id === serverId && candidate !== effective);
  return {
    id: serverId,
    ...explainKeys(effective.file, effective.entry),
    overridden: others.map(({ entry, isTrusted: hasTrust }) => ({
      ...entry.origin,
      why: hasTrust
        ? `the entry in ${formatLocation(effective.entry.origin.file, effective.entry.origin.line)} counts`
        : `untrusted: run ${trustCommand(entry.origin)}`,
    })),
  };
}
