import { quoteForShell } from '../base/text/shell-quote.ts';
import { escapeInvisible } from '../base/text/visible-text.ts';
import { findMisspeltKeys } from './entry/misspelt-keys.ts';
import type { ConfigFile, FileEntry } from './files/config-file.ts';
import { projectFolder } from './files/sources.ts';
import { formatLocation, formatProblem } from './problem.ts';
import { isOwnGateway } from './resolve/own-gateway.ts';
import type { ConfigProblem, LoadedConfig, Verdict } from './server-entry.ts';

/**
 * One server per id from files in the order of precedence. An entry without trust has no effect at all:
 * it is listed when no other has its id, and otherwise passed over with a word.
 */
export function mergeFiles(
  files: readonly ConfigFile[],
  isTrusted: (file: ConfigFile, entry: FileEntry) => boolean,
): Pick<LoadedConfig, 'servers' | 'problems'> {
  const { candidates, chosen } = chooseEntries(files, isTrusted);
  const listed = candidates.filter((candidate) => chosen.get(candidate.entry.id) === candidate);
  // A file of several programs may well mean what it says, and one that nobody trusts has no say.
  const isFullyTrusted = (file: ConfigFile) =>
    file.source.isSwitchboardFile && candidates.every((candidate) => candidate.file !== file || candidate.isTrusted);
  return {
    servers: listed.map((candidate) => ({
      id: candidate.entry.id,
      origin: candidate.entry.origin,
      verdict: toVerdict(candidate, candidates),
    })),
    problems: [
      ...files.flatMap(({ problems }) => problems),
      ...files.filter(isFullyTrusted).flatMap(findMisspeltKeys),
      ...candidates.flatMap((candidate) => reportOverridden(candidate, chosen.get(candidate.entry.id))),
    ],
  };
}

export interface Candidate {
  readonly file: ConfigFile;
  readonly entry: FileEntry;
  readonly isTrusted: boolean;
}

/** All entries in the order of precedence, and which of those with the same id counts: the first that is trusted. */
export function chooseEntries(
  files: readonly ConfigFile[],
  isTrusted: (file: ConfigFile, entry: FileEntry) => boolean,
): { readonly candidates: readonly Candidate[]; readonly chosen: ReadonlyMap<string, Candidate> } {
  const candidates = files.flatMap((file) =>
    file.entries.map((entry) => ({ file, entry, isTrusted: isTrusted(file, entry) })),
  );
  const chosen = firstOfEachId([
    ...candidates.filter((candidate) => candidate.isTrusted),
    ...candidates.filter((candidate) => !candidate.isTrusted),
  ]);
  return { candidates, chosen };
}

function firstOfEachId(candidates: readonly Candidate[]): ReadonlyMap<string, Candidate> {
  // Of entries with the same key a map keeps the last.
  return new Map(candidates.toReversed().map((candidate) => [candidate.entry.id, candidate]));
}

function toVerdict(
  { entry: { id, content, origin }, isTrusted }: Candidate,
  candidates: readonly Candidate[],
): Verdict {
  if (content.kind === 'broken') return { kind: 'error', reason: formatProblem(content.problem) };
  const off = { kind: 'disabled', isUntrusted: false, transport: content.transport?.kind } as const;
  if (isDisableOnly(content)) return toDisableOnlyVerdict(id, candidates);
  if (content.kind === 'off') return { ...off, reason: DISABLED_IN_FILE };
  const { transport, entry } = content;
  if (transport.kind === 'stdio' && isOwnGateway(transport)) {
    const reason = "this is switchboard's own gateway, which would start itself";
    return { ...off, reason };
  }
  if (!isTrusted) return { ...off, reason: `untrusted: run ${trustCommand(origin)}`, isUntrusted: true };
  return { kind: 'usable', entry };
}

/** The reason of an entry that its file switches off. Others are off for what they are, and cannot be switched on. */
export const DISABLED_IN_FILE = 'switched off in its file';

/** The same for whoever shows it: the entry that counts is the one that says so, wherever the others stand. */
export function disabledBy({ file, line }: FileEntry['origin']): string {
  return `switched off by ${formatLocation(file, line)}`;
}

/** An entry that is off and says no more: what it switches off is defined by another, or by none. */
function toDisableOnlyVerdict(wanted: string, candidates: readonly Candidate[]): Verdict {
  const others = candidates.filter(({ entry: { id, content } }) => id === wanted && !isDisableOnly(content));
  const definition = (others.find(({ isTrusted }) => isTrusted) ?? others[0])?.entry;
  const off = { kind: 'disabled', isUntrusted: false } as const;
  if (definition === undefined) return { ...off, reason: DEFINED_NOWHERE };
  const { content, origin } = definition;
  const transport = content.kind === 'broken' ? undefined : content.transport?.kind;
  return { ...off, reason: DISABLED_IN_FILE, transport, definedIn: origin.layer };
}

const DEFINED_NOWHERE = 'switched off, and nothing that was read says how it is reached';

/** Whether an entry is off and does not say how its server is reached: switched on, it could be nothing but broken. */
export function isDisableOnly(content: FileEntry['content']): boolean {
  return content.kind === 'off' && content.transport === undefined;
}

/** A word about an entry without trust whose place a trusted one of the same id has taken. */
function reportOverridden({ entry, isTrusted }: Candidate, chosen: Candidate | undefined): readonly ConfigProblem[] {
  if (isTrusted || chosen?.isTrusted !== true) return [];
  const { file, line } = entry.origin;
  const effective = formatLocation(chosen.entry.origin.file, chosen.entry.origin.line);
  const message = `"${escapeInvisible(entry.id)}" is untrusted and has no effect: the one in ${effective} counts. To trust this one, run ${trustCommand(entry.origin)}`;
  return [{ file, line, message }];
}

/** What to type so that an entry is trusted. */
export function trustCommand(origin: FileEntry['origin']): string {
  return `switchboard trust ${quoteForShell(projectFolder(origin))}`;
}
