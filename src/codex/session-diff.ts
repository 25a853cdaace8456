import type { StoredTurn } from './engine.ts';
import type { Sessions } from './sessions.ts';
import type { FileChange } from './words.ts';

export interface SessionDiff {
  readonly diff: string;
  readonly files: readonly Pick<FileChange, 'path' | 'kind'>[];
}

/** What the last turn of a session has changed: from what Codex told as it ran, else from what it has stored. */
export async function readDiff({ roster, engine }: Sessions, sessionId: string): Promise<SessionDiff> {
  const turn = roster.find(sessionId)?.turn;
  if (turn !== undefined && (turn.diff !== '' || turn.files().length > 0)) {
    return { diff: turn.diff === '' ? toDiff(changesOf(turn.items())) : turn.diff, files: turn.files() };
  }
  if (turn !== undefined) return { diff: '', files: [] };
  const { turns } = await engine.read({ sessionId, limit: 1 });
  const changes = changesOf(turns.at(-1)?.entries ?? []);
  return { diff: toDiff(changes), files: changes.map(({ path, kind }) => ({ path, kind })) };
}

function changesOf(
  entries: readonly { readonly files?: readonly FileChange[] }[] | StoredTurn['entries'],
): readonly FileChange[] {
  return entries.flatMap(({ files }) => files ?? []);
}

/** The single diffs of Codex have no heads: a line before each says which file it is. */
function toDiff(changes: readonly FileChange[]): string {
  return changes.map(({ path, kind, diff }) => `# ${kind} ${path}\n${diff ?? ''}`).join('\n');
}
