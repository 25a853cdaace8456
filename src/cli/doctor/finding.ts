import type { ErrorCode } from '../../base/errors.ts';

/** The result of one check. Every check returns this type, and every view of `doctor` shows it. */
export interface Finding {
  /** Stable name of the check, for programs: `server.start`. */
  readonly check: string;
  /** One short line without the fix. */
  readonly title: string;
  readonly state: FindingState;
  /** Further lines. */
  readonly detail?: readonly string[];
  /** The command to type, exactly. */
  readonly fix?: string;
  /** What to do where no command can help, as a sentence. */
  readonly advice?: string;
  /** The kind of a failure, which decides the exit status. */
  readonly code?: ErrorCode;
  /** `--fix` has fixed it. */
  readonly isFixed?: true;
  /** Fixes the problem safely and returns what it did, as a sentence. Called only with `--fix`. */
  readonly repair?: () => string | Promise<string>;
}

/** `note`: worth knowing, but nothing is wrong. */
export type FindingState = 'ok' | 'note' | 'warning' | 'failure';

/** Findings about one subject. */
export interface Section {
  readonly name: SectionName;
  /** A few words about the whole subject. */
  readonly summary: string;
  readonly findings: readonly Finding[];
}

/** In display order. */
export const SECTION_NAMES = ['Node', 'Codex', 'Config', 'Servers', 'Clients', 'Leftovers', 'Files'] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

/** Returns the worst state. Notes are not worse than `ok`. */
export function worstState(findings: readonly Finding[]): 'ok' | 'warning' | 'failure' {
  if (findings.some(({ state }) => state === 'failure')) return 'failure';
  return findings.some(({ state }) => state === 'warning') ? 'warning' : 'ok';
}

export function worstFirst(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
}

const ORDER: readonly FindingState[] = ['failure', 'warning', 'note', 'ok'];
