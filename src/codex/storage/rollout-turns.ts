import { createReadStream } from 'node:fs';
import { frameText } from '../../wire/frame.ts';
import { createLineSplitter } from '../../wire/stream/ndjson.ts';
import { findRolloutFile, type RolloutFile } from './rollout-files.ts';
import { parseLine, type RolloutHead, readRolloutHead } from './rollout-head.ts';
import { type RolloutLine, readRolloutLine } from './rollout-lines.ts';
import type { StoredTurn, TranscriptEntry } from './stored-session.ts';

interface TurnsQuery {
  readonly codexHome: string;
  readonly file: RolloutFile;
  readonly head: RolloutHead;
  /** Only turns before the one with this number, counted from 0. */
  readonly before: number | undefined;
  readonly limit: number;
  /** Whether the last turn is running now. Otherwise a turn without an end was cut off. */
  readonly isRunning: boolean;
}

/** Longer lines contain images. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Follows at most this many forks of forks. Turns from before them are not shown. */
const MAX_FORKS = 16;

/** Reads the files once, from the start, and keeps the requested turns. `first` is the number of the first of them. */
export async function readTurns(query: TurnsQuery): Promise<{ turns: readonly StoredTurn[]; first: number }> {
  const turns = createTurnList(query);
  for (const part of await partsOf(query)) await readPart(part, turns.take);
  return turns.end();
}

interface RolloutPart {
  readonly file: RolloutFile;
  /** The ordinal of the first line that does not belong to this part. */
  readonly before: number;
}

/** Returns the files of a session. A fork by reference stores only its own turns; its parent's file has the others. */
async function partsOf({ codexHome, file, head }: TurnsQuery): Promise<readonly RolloutPart[]> {
  const parts: RolloutPart[] = [{ file, before: Number.POSITIVE_INFINITY }];
  let origin = head.forkedFrom;
  while (origin !== undefined && parts.length < MAX_FORKS) {
    const parent = await findRolloutFile(codexHome, origin.sessionId);
    if (parent === undefined) break;
    parts.unshift({ file: parent, before: origin.before });
    origin = (await readRolloutHead(parent))?.forkedFrom;
  }
  return parts;
}

async function readPart({ file, before }: RolloutPart, take: (line: RolloutLine) => void): Promise<void> {
  const read = (text: string): void => {
    const line = parseLine(text);
    const ordinal = line?.['ordinal'];
    if (line === undefined || (typeof ordinal === 'number' && ordinal >= before)) return;
    const stored = readRolloutLine(line);
    if (stored !== undefined) take(stored);
  };
  const limits = { maxBytes: MAX_LINE_BYTES, budget: undefined };
  // Skips lines that are too long, or cut off at the end of the file.
  const lines = createLineSplitter({ frame: (frame) => read(frameText(frame)), reportError: () => {} }, limits);
  for await (const chunk of createReadStream(file.path)) lines.push(chunk);
  const rest = lines.end();
  if (rest !== undefined) read(frameText(rest));
}

interface TurnDraft {
  readonly turnId: string;
  /** True if Codex marks the start and the end of the turn. Otherwise it lasts until the user's next message. */
  readonly isExplicit: boolean;
  status: StoredTurn['status'] | undefined;
  failure?: StoredTurn['failure'];
  readonly entries: TranscriptEntry[];
}

function createTurnList({ before = Number.POSITIVE_INFINITY, limit, isRunning }: TurnsQuery) {
  const drafts: TurnDraft[] = [];
  let count = 0;
  let current: TurnDraft | undefined;

  function begin(turnId: string, { isExplicit }: { isExplicit: boolean }): TurnDraft {
    current = { turnId: turnId === '' ? `turn-${count + 1}` : turnId, isExplicit, status: undefined, entries: [] };
    count += 1;
    if (count <= before) drafts.push(current);
    if (drafts.length > limit) drafts.shift();
    return current;
  }

  function take(line: RolloutLine): void {
    switch (line.kind) {
      case 'turn-started':
        begin(line.turnId, { isExplicit: true });
        return;
      case 'turn-completed':
        end(line.failure === undefined ? 'completed' : 'failed', line.failure);
        return;
      case 'turn-aborted':
        end('interrupted');
        return;
      case 'call':
        if (current?.isExplicit !== true) add(line.entry);
        return;
      case 'entry':
        add(line.entry);
    }
  }

  function end(status: StoredTurn['status'], failure?: StoredTurn['failure']): void {
    if (current === undefined) return;
    current.status = status;
    current.failure = failure;
  }

  function add(entry: TranscriptEntry): void {
    const isNext = current === undefined || current.status !== undefined || !current.isExplicit;
    const turn =
      current === undefined || (entry.role === 'user' && isNext) ? begin('', { isExplicit: false }) : current;
    turn.entries.push(entry);
  }

  function finish(): { turns: readonly StoredTurn[]; first: number } {
    const first = Math.max(0, Math.min(count, before) - drafts.length);
    return { turns: drafts.map((turn) => toTurn(turn, { isLast: turn === current, isRunning })), first };
  }

  return { take, end: finish };
}

function toTurn(turn: TurnDraft, { isLast, isRunning }: { isLast: boolean; isRunning: boolean }): StoredTurn {
  const { turnId, failure, entries } = turn;
  const unended = isLast && isRunning ? 'running' : turn.isExplicit ? 'interrupted' : 'completed';
  return { turnId, status: turn.status ?? unended, ...(failure !== undefined && { failure }), entries };
}
