import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { writeFileAtomic } from '../../../base/write-file-atomic.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import type { SessionSettings } from './endpoint.ts';

/** What changes about a session after `initialize`. */
interface SessionRecord {
  readonly settings?: SessionSettings | undefined;
  readonly lastUsedAt?: number | undefined;
  readonly hasEnded?: boolean | undefined;
  /** The `initialize` params, if they are too large for the id. */
  readonly initializeParams?: JsonObject | undefined;
}

/** A file with the changes of all sessions. It survives a killed process: each change is appended at once. */
export interface SessionJournal {
  /** Changes when the journal was lost, so that ids of sessions that may have ended are not valid any more. */
  readonly id: string;
  find(sessionId: string): SessionRecord | undefined;
  /** Merges the change into the record of the session, and stores it. */
  record(sessionId: string, change: SessionRecord): void;
}

export interface SessionJournalOptions {
  readonly file: string;
  /** Records that were not changed for this long are dropped when the journal is opened. */
  readonly maxAgeMs: number;
  /** Called with a text for the operator if sessions were lost, or if a change could not be stored. */
  readonly onProblem: (problem: string) => void;
  readonly now: () => number;
}

/** More records than this come from a client that opens sessions without end. The oldest are dropped. */
const MAX_RECORDS = 50_000;

/** Opens a journal and removes outdated records. The file contains digests of ids, never an id. */
export function openSessionJournal({ file, maxAgeMs, onProblem, now }: SessionJournalOptions): SessionJournal {
  const { id = randomUUID(), records, problem } = readJournal(file);
  if (problem !== undefined) onProblem(problem);
  for (const [key, { changedAt }] of records) if (now() - changedAt > maxAgeMs) records.delete(key);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const lines = [...records].map(([key, { changedAt, record }]) => line(key, changedAt, record));
  writeFileAtomic(file, `${JSON.stringify({ version: VERSION, id })}\n${lines.join('')}`);

  return {
    id,
    find: (sessionId) => records.get(digest(sessionId))?.record,
    record(sessionId, change) {
      const key = digest(sessionId);
      const record = { ...records.get(key)?.record, ...change };
      // A changed record becomes the newest one.
      records.delete(key);
      records.set(key, { changedAt: now(), record });
      const [oldest] = records.keys();
      if (records.size > MAX_RECORDS && oldest !== undefined) records.delete(oldest);
      try {
        appendFileSync(file, line(key, now(), record), { mode: 0o600 });
      } catch (error) {
        onProblem(`A change of an HTTP session is lost if the process ends: ${messageOf(error)}`);
      }
    },
  };
}

const VERSION = 1;

interface StoredRecord {
  readonly changedAt: number;
  readonly record: SessionRecord;
}

interface StoredJournal {
  readonly id?: string;
  readonly records: Map<string, StoredRecord>;
  readonly problem: string | undefined;
}

function line(key: string, changedAt: number, record: SessionRecord): string {
  return `${JSON.stringify({ key, changedAt, record })}\n`;
}

function digest(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url').slice(0, 22);
}

/**
 * Reads a journal. The last line may be cut off by a crash. Any other damage discards the journal, because a session
 * that has ended must not be valid again.
 */
function readJournal(file: string): StoredJournal {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { records: new Map(), problem: isMissing ? undefined : damaged(file) };
  }
  // After the last line break there is nothing, or a line that was cut off.
  const [head, ...lines] = text.split('\n').slice(0, -1).map(parse);
  const records = new Map<string, StoredRecord>();
  for (const each of lines) {
    if (!isStoredLine(each)) return { records: new Map(), problem: damaged(file) };
    records.delete(each.key);
    records.set(each.key, { changedAt: each.changedAt, record: each.record });
  }
  if (!isObject(head) || head['version'] !== VERSION || typeof head['id'] !== 'string')
    return { records: new Map(), problem: damaged(file) };
  return { id: head['id'], records, problem: undefined };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported as damage by the caller.
    return undefined;
  }
}

function isStoredLine(value: unknown): value is StoredRecord & { readonly key: string } {
  if (!isObject(value)) return false;
  return typeof value['key'] === 'string' && typeof value['changedAt'] === 'number' && isObject(value['record']);
}

function damaged(file: string): string {
  return `${file} is damaged. Earlier HTTP sessions have ended.`;
}
