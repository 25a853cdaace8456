import type { FileChange, Item } from '../item-types.ts';
import type { Session } from '../sessions/session.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { recordFileChange, type Turn } from '../sessions/turn.ts';
import type { TranscriptEntry } from '../storage/stored-session.ts';
import { toUnifiedDiff } from '../text/unified-diff.ts';

export interface SessionDiff {
  readonly diff: string;
  /** Each file once, with its resulting change. */
  readonly files: readonly Pick<FileChange, 'path' | 'kind'>[];
  /** Changes that are not complete: they wait for an approval, or are in progress. */
  readonly pending?: string;
  /** What is missing from the diff, and why. */
  readonly note?: string;
}

/** Returns the changes of a session's last turn: from events if the turn ran here, otherwise from Codex's storage. */
export async function readDiff({ registry, engine }: Sessions, sessionId: string): Promise<SessionDiff> {
  const session = registry.find(sessionId);
  if (session?.turn !== undefined)
    return mergeTreeChanges(session.turn, reportedDiff(session, session.turn), session.opened.cwd);
  const { turns, directory = '' } = await engine.read({ sessionId, limit: 1 });
  const entries = (turns.at(-1)?.entries ?? []).filter(({ type }) => type === 'file_change');
  return toDiff(entries, directory);
}

/** Returns the complete diff as one text. */
export async function renderDiff(sessions: Sessions, sessionId: string): Promise<string> {
  const { diff, pending } = await readDiff(sessions, sessionId);
  return pending === undefined ? diff : `${diff}# not made yet:\n${pending}`;
}

/** Prefers the comparison of the working tree. Codex's report fills in files that the comparison does not cover. */
async function mergeTreeChanges(turn: Turn, reported: SessionDiff, folder: string): Promise<SessionDiff> {
  if (turn.tree === undefined) return reported;
  const { diff, files, unknown, note } = await turn.tree.changes(reported.files.map(({ path }) => path));
  const { pending, note: missingDiffsNote } = reported;
  const isUnknown = new Set(unknown);
  // No file could be compared: use Codex's report alone.
  if (isUnknown.size === reported.files.length && files.length === 0 && diff === '')
    return { ...reported, ...(note === undefined ? {} : { note: [missingDiffsNote, note].filter(Boolean).join(' ') }) };
  const kinds = new Map(files.map((file) => [file.path, file]));
  const ordered = reported.files.flatMap((file) => (isUnknown.has(file.path) ? [file] : (kinds.get(file.path) ?? [])));
  const others = files.filter(({ path }) => !reported.files.some((file) => file.path === path));
  const changes = turn
    .items()
    .flatMap(({ type, status, files: its = [] }) =>
      type === 'file_change' && status === 'completed' ? its.filter(({ path }) => isUnknown.has(path)) : [],
    );
  const notes = [isUnknown.size > 0 ? missingDiffsNote : undefined, note].filter((text) => text !== undefined);
  return {
    diff: diff + toUnifiedDiff(changes, folder),
    files: [...ordered, ...others],
    ...(pending === undefined ? {} : { pending }),
    ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
  };
}

function reportedDiff({ opened }: Session, turn: NonNullable<Session['turn']>): SessionDiff {
  const open = turn.items().filter(({ type, status }) => type === 'file_change' && status === 'started');
  const changes = open.flatMap(({ files = [] }) => files);
  const pending = changes.length === 0 ? {} : { pending: toUnifiedDiff(changes, opened.cwd) };
  return { ...completedDiff(turn, opened.cwd), ...pending };
}

function completedDiff(turn: NonNullable<Session['turn']>, folder: string): SessionDiff {
  if (turn.diff !== '') return { diff: turn.diff, files: turn.files() };
  const done = turn.items().filter(({ type, status }) => type === 'file_change' && status === 'completed');
  // The turn keeps more files than items.
  return { ...toDiff(done, folder), files: turn.files() };
}

function toDiff(reported: readonly Pick<Item | TranscriptEntry, 'files'>[], folder: string): SessionDiff {
  const changes = reported.flatMap(({ files = [] }) => files);
  const kinds = new Map<string, FileChange['kind']>();
  for (const change of changes) recordFileChange(kinds, change);
  const isWhole = reported.every(({ files }) => files?.every(({ diff }) => diff !== undefined));
  return {
    diff: toUnifiedDiff(changes, folder),
    files: [...kinds].map(([path, kind]) => ({ path, kind })),
    ...(isWhole ? {} : { note: NO_DIFFS }),
  };
}

const NO_DIFFS =
  'This engine reports which files changed, but not how. Look at the files in the working directory, or use the app-server engine.';
