import type { Engine } from '../engine.ts';
import type { Session } from '../sessions/session.ts';
import type { Turn } from '../sessions/turn.ts';
import type { TreeTracker } from './tree-tracker.ts';

export interface TrackTurnOptions {
  readonly treeTracker: TreeTracker;
  readonly engine: Pick<Engine, 'read'>;
  /** The previous turn, whose changes are recorded first. */
  readonly previousTurn: Turn | undefined;
}

/** Tracks changes in the folder of a session from the beginning of its turn. */
export async function trackTurn(
  session: Session,
  { treeTracker, engine, previousTurn }: TrackTurnOptions,
): Promise<void> {
  const { turn, id: sessionId } = session;
  await previousTurn?.tree?.changes([]);
  // Codex reports the folder of a session that is not open here.
  const stored = session.opened.cwd === '' ? engine.read({ sessionId, limit: 1 }).catch(() => undefined) : undefined;
  const folder = session.opened.cwd || (await stored)?.directory;
  if (folder === undefined || turn === undefined) return;
  turn.tree = await treeTracker.track(folder);
  if (turn.end !== undefined || session.turn !== turn) turn.tree.freeze();
}
