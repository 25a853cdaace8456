import { messageOf } from '../../base/errors.ts';
import { readFileSignature } from '../../base/files/file-signature.ts';
import { openPrivateJson, type PrivateJson } from '../../config/files/private-json.ts';
import {
  pick,
  readBoolean,
  readList,
  readNonEmptyString,
  readOneOf,
  readOptional,
  readString,
} from '../../config/json/decode.ts';
import type { JsonValue } from '../../config/json/json-value.ts';
import { type RememberedDecision, SCOPES } from './remembered-decisions.ts';
import type { RememberedStore } from './remembered-store.ts';

/**
 * Stores decisions in a file that outlives the host and that several hosts may share. Each host sees the others'
 * changes.
 */
export function openRememberedFile(file: string, warn: (text: string) => void): RememberedStore {
  const store = openPrivateJson({ file, version: 1, maxBytes: MAX_BYTES, subject: 'Permissions', remedy: REMEDY });
  let lastSignature: string | undefined;
  let lastDecisions: readonly RememberedDecision[] = [];

  const createUpdate = (update: (decisions: readonly RememberedDecision[]) => readonly RememberedDecision[]) => () => {
    const decisions = readDecisions(store);
    store.write({ decisions: update(decisions) });
    lastSignature = undefined;
  };

  return {
    read() {
      // Read before the content: the next call then notices a write that happens in between.
      const signature = readFileSignature(file);
      if (signature === lastSignature) return lastDecisions;
      lastSignature = signature;
      try {
        lastDecisions = readDecisions(store);
      } catch (error) {
        lastDecisions = [];
        warn(`Remembered permissions are not used: ${messageOf(error)}`);
      }
      return lastDecisions;
    },
    async update(update) {
      try {
        await store.withLockAsync(createUpdate(update));
      } catch (error) {
        warn(`The decision is not remembered: ${messageOf(error)}`);
      }
    },
    updateNow(update) {
      if (readFileSignature(file) !== 'absent') store.withLock(createUpdate(update));
    },
  };
}

/** Room for a thousand decisions with the longest names that are stored. */
const MAX_BYTES = 8 * 1024 * 1024;
const REMEDY = 'Remove it. Switchboard then asks again.';

function readDecisions(store: PrivateJson): readonly RememberedDecision[] {
  const root = store.read();
  if (root === undefined) return [];
  const decisions = pick(root, 'decisions');
  if (decisions === undefined) throw store.damaged('it is incomplete');
  return readList(decisions).map((value) => readDecision(store, value));
}

function readDecision(store: PrivateJson, value: JsonValue): RememberedDecision {
  const part = <T>(read: (found: JsonValue) => T, name: string): T => {
    const found = readOptional(value, read, name);
    if (found === undefined) throw store.damaged('an entry is incomplete');
    return found;
  };
  const scope = part((found) => readOneOf(found, SCOPES), 'scope');
  const isOfTool = scope !== 'server';
  return {
    scope,
    server: part(readString, 'server'),
    identity: part(readNonEmptyString, 'identity'),
    tool: isOfTool ? part(readString, 'tool') : undefined,
    definition: isOfTool ? part(readNonEmptyString, 'definition') : undefined,
    arguments: scope === 'arguments' ? part(readNonEmptyString, 'arguments') : undefined,
    isAllowed: part(readBoolean, 'isAllowed'),
    at: part((found) => readTime(store, found), 'at'),
  };
}

function readTime(store: PrivateJson, { content }: JsonValue): number {
  if (typeof content !== 'number') throw store.damaged('a time in it is not a number');
  return content;
}
