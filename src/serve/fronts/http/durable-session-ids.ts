import { existsSync } from 'node:fs';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import type { RestoredSession, SessionSettings } from './endpoint.ts';
import { MAX_ID_CHARS, openSessionId, sealSessionId } from './session-id.ts';
import type { NewSession, SessionIds } from './session-ids.ts';
import { openSessionJournal } from './session-journal.ts';
import { loadSessionKey } from './session-key.ts';

export interface DurableSessionIdsOptions {
  /** The key that seals the ids. Created if it is missing. */
  readonly keyFile: string;
  /** One process at a time may use a journal. */
  readonly journalFile: string;
  /** A session that was not used for this long is not restored. Default: a week. */
  readonly maxIdleMs?: number;
  /** Called with a text for the operator, for example if earlier sessions cannot be restored. */
  readonly onProblem: (problem: string) => void;
  readonly now?: () => number;
}

const WEEK_MS = 7 * 24 * 60 * 60_000;

/**
 * Opens ids of sessions that outlive the process. The id itself contains, sealed, what `initialize` has fixed. The
 * journal contains what changes later, and which sessions have ended. If the key or the journal is lost, all earlier
 * sessions have ended.
 */
export function openDurableSessionIds(options: DurableSessionIdsOptions): SessionIds {
  const { keyFile, journalFile, maxIdleMs = WEEK_MS, onProblem, now = Date.now } = options;
  const [hasKey, hasJournal] = [existsSync(keyFile), existsSync(journalFile)];
  const reportMissing = (file: string) => onProblem(`${file} is missing. Earlier HTTP sessions have ended.`);
  if (!hasKey && hasJournal) reportMissing(keyFile);
  // Without a journal, this may be the first server on its port. A client with an earlier session shows that it is not.
  let mayLackJournal = hasKey && !hasJournal;
  const key = loadSessionKey(keyFile, onProblem);
  const journal = openSessionJournal({ file: journalFile, maxAgeMs: maxIdleMs, onProblem, now });
  const contextOf = (tokenId: string, path: string) => ({ journalId: journal.id, tokenId, path });

  return {
    create({ principal, path, initializeParams }) {
      const context = contextOf(principal.tokenId, path);
      const fixed = pickFixed(initializeParams);
      const id = sealSessionId({ issuedAt: now(), initializeParams: fixed }, key, context);
      if (id !== undefined) return id;
      // The params are too large for an id, which then only refers to them.
      const reference = sealSessionId({ issuedAt: now() }, key, context);
      if (reference === undefined) throw new RangeError(`A session id has at most ${MAX_ID_CHARS} characters.`);
      journal.record(reference, { initializeParams: fixed });
      return reference;
    },
    open(id, { tokenId, path }) {
      const value = openSessionId(id, key, contextOf(tokenId, path));
      if (value === undefined) {
        if (mayLackJournal) reportMissing(journalFile);
        mayLackJournal = false;
        return undefined;
      }
      const record = journal.find(id);
      const lastUsedAt = Math.max(Number(value['issuedAt']), record?.lastUsedAt ?? 0);
      if (record?.hasEnded === true || !(now() - lastUsedAt <= maxIdleMs)) return undefined;
      const initializeParams = value['initializeParams'] ?? record?.initializeParams;
      return isObject(initializeParams) ? restore(initializeParams, record?.settings) : undefined;
    },
    save: (id, settings) => journal.record(id, { settings, lastUsedAt: now() }),
    used(id) {
      const { lastUsedAt = 0 } = journal.find(id) ?? {};
      if (now() - lastUsedAt > maxIdleMs / USE_RESOLUTION) journal.record(id, { lastUsedAt: now() });
    },
    // What the session was is not needed any more.
    close: (id) => journal.record(id, { hasEnded: true, settings: undefined, initializeParams: undefined }),
  };
}

/** The journal need not know exactly when a session was used. */
const USE_RESOLUTION = 20;

function pickFixed({ protocolVersion, clientInfo, capabilities }: NewSession['initializeParams']): JsonObject {
  return { protocolVersion, clientInfo, capabilities };
}

function restore(initializeParams: JsonObject, settings: SessionSettings | undefined): RestoredSession {
  return { initializeParams, logLevel: settings?.logLevel, subscriptions: settings?.subscriptions ?? [] };
}
