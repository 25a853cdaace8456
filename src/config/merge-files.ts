import { programName } from '../base/program-name.ts';
import { quoteForShell } from '../base/text/shell-quote.ts';
import { escapeInvisible } from '../base/text/visible-text.ts';
import { findMisspelledKeys } from './entry/misspelled-keys.ts';
import type { ConfigFile, FileEntry } from './files/config-file.ts';
import { projectFolder } from './files/sources.ts';
import { formatLocation, formatProblem } from './problem.ts';
import { isOwnGateway } from './resolve/own-gateway.ts';
import type { ConfigProblem, LoadedConfig, Verdict } from './server-entry.ts';

export interface MergedFiles extends Pick<LoadedConfig, 'servers' | 'problems'> {
  /** Every entry, in order of precedence. */
  readonly candidates: readonly Candidate[];
  /** The effective entry of each id. */
  readonly chosen: ReadonlyMap<string, Candidate>;
}

/**
 * Merges files, given in order of precedence, into one server per id. An untrusted entry has no effect: it is listed if
 * no other entry has its id, and otherwise ignored with a warning.
 */
export function mergeFiles(
  files: readonly ConfigFile[],
  isTrusted: (file: ConfigFile, entry: FileEntry) => boolean,
): MergedFiles {
  const { candidates, chosen } = chooseEntries(files, isTrusted);
  const listed = candidates.filter((candidate) => chosen.get(candidate.entry.id) === candidate);
  // In a file that several programs share, an unknown key may be intentional. An untrusted file must not cause
  // warnings.
  const isFullyTrusted = (file: ConfigFile) =>
    file.source.isSwitchboardFile && candidates.every((candidate) => candidate.file !== file || candidate.isTrusted);
  return {
    candidates,
    chosen,
    servers: listed.map((candidate) => ({
      id: candidate.entry.id,
      origin: candidate.entry.origin,
      verdict: toVerdict(candidate, candidates),
    })),
    problems: [
      ...files.flatMap(({ problems }) => problems),
      ...files.filter(isFullyTrusted).flatMap(findMisspelledKeys),
      ...candidates.flatMap((candidate) => reportOverridden(candidate, chosen.get(candidate.entry.id))),
    ],
  };
}

export interface Candidate {
  readonly file: ConfigFile;
  readonly entry: FileEntry;
  readonly isTrusted: boolean;
}

/** The effective entry of an id is the first that is trusted, else the first. */
function chooseEntries(
  files: readonly ConfigFile[],
  isTrusted: (file: ConfigFile, entry: FileEntry) => boolean,
): Pick<MergedFiles, 'candidates' | 'chosen'> {
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
  // A map keeps the last of several entries with the same key.
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
    const reason = "this is Switchboard's own gateway, which would start itself";
    return { ...off, reason };
  }
  if (!isTrusted) return { ...off, reason: `untrusted: run ${trustCommand(origin)}`, isUntrusted: true };
  return { kind: 'usable', entry };
}

/** Reason for an entry that its file disables. Entries that are disabled for other reasons cannot be enabled. */
export const DISABLED_IN_FILE = 'disabled in its file';

/**
 * Formats the same reason with the location of the effective entry, which disables the server wherever else it is
 * defined.
 */
export function disabledBy({ file, line }: FileEntry['origin']): string {
  return `disabled by ${formatLocation(file, line)}`;
}

/** Returns the verdict for an entry that only disables a server. Another entry defines that server, or none does. */
function toDisableOnlyVerdict(wanted: string, candidates: readonly Candidate[]): Verdict {
  const others = candidates.filter(({ entry: { id, content } }) => id === wanted && !isDisableOnly(content));
  const definition = (others.find(({ isTrusted }) => isTrusted) ?? others[0])?.entry;
  const off = { kind: 'disabled', isUntrusted: false } as const;
  if (definition === undefined) return { ...off, reason: DEFINED_NOWHERE };
  const { content, origin } = definition;
  const transport = content.kind === 'broken' ? undefined : content.transport?.kind;
  return { ...off, reason: DISABLED_IN_FILE, transport, definedIn: origin.layer };
}

const DEFINED_NOWHERE = 'disabled, and no config that was read has its command or URL';

/** Returns whether an entry is off and does not define how to reach its server. If enabled, it would be broken. */
export function isDisableOnly(content: FileEntry['content']): boolean {
  return content.kind === 'off' && content.transport === undefined;
}

/** Reports an untrusted entry that a trusted one of the same id overrides. */
function reportOverridden({ entry, isTrusted }: Candidate, chosen: Candidate | undefined): readonly ConfigProblem[] {
  if (isTrusted || chosen?.isTrusted !== true) return [];
  const { file, line } = entry.origin;
  const effective = formatLocation(chosen.entry.origin.file, chosen.entry.origin.line);
  const message = `"${escapeInvisible(entry.id)}" is untrusted and has no effect: the one in ${effective} takes precedence. To trust this one, run ${trustCommand(entry.origin)}`;
  return [{ file, line, message }];
}

/** Returns the command that trusts an entry. */
export function trustCommand(origin: FileEntry['origin']): string {
  return `${programName()} trust ${quoteForShell(projectFolder(origin))}`;
}
