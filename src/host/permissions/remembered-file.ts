import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAppError, messageOf } from '../../base/errors.ts';
import { whenFileIsFree, withFileLock } from '../../config/file-lock.ts';
import { signatureOf } from '../../config/file-signature.ts';
import {
  damaged,
  notStored,
  type PrivateJson,
  readPrivateJson,
  writePrivateJson,
} from '../../config/files/private-json.ts';
import { errnoText } from '../../config/files/small-file.ts';
import { pick, readBoolean, readFilledString, readList, readString, readWord, take } from '../../config/json/decode.ts';
import type { JsonValue } from '../../config/json/json-value.ts';
import { type RememberedDecision, SCOPES } from './remembered-decisions.ts';
import type { RememberedStore } from './remembered-store.ts';

/** Decisions that outlive the host, in a file that several hosts may share. Each sees what the others write. */
export function openRememberedFile(file: string, warn: (text: string) => void): RememberedStore {
  const kind: PrivateJson = { file, version: 1, maxBytes: MAX_BYTES, subject: 'Permissions', remedy: REMEDY };
  let seen: string | undefined;
  let known: readonly RememberedDecision[] = [];

  const change = (changed: (decisions: readonly RememberedDecision[]) => readonly RememberedDecision[]) => () => {
    const decisions = readDecisions(kind);
    writePrivateJson(kind, { decisions: changed(decisions) });
    seen = undefined;
  };

  return {
    read() {
      // Looked at before it is read: what is written in between is seen the next time.
      const signature = signatureOf(file);
      if (signature === seen) return known;
      seen = signature;
      try {
        known = readDecisions(kind);
      } catch (error) {
        known = [];
        warn(`No remembered permission counts: ${messageOf(error)}`);
      }
      return known;
    },
    async change(changed) {
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        await whenFileIsFree(file, change(changed));
      } catch (error) {
        warn(`The decision is not remembered: ${messageOf(toStoreError(kind, error))}`);
      }
    },
    changeNow(changed) {
      try {
        if (signatureOf(file) === 'absent') return;
        withFileLock(file, change(changed));
      } catch (error) {
        throw toStoreError(kind, error);
      }
    },
  };
}

/** A thousand of the longest names that are remembered. */
const MAX_BYTES = 8 * 1024 * 1024;
const REMEDY = 'Remove it, and you are asked again.';

function toStoreError(kind: PrivateJson, error: unknown) {
  return isAppError(error) ? error : notStored(kind, errnoText(error), error);
}

function readDecisions(kind: PrivateJson): readonly RememberedDecision[] {
  const root = readPrivateJson(kind);
  if (root === undefined) return [];
  const decisions = pick(root, 'decisions');
  if (decisions === undefined) throw damaged(kind, 'it lacks a part');
  return readList(decisions).map((value) => readDecision(kind, value));
}

function readDecision(kind: PrivateJson, value: JsonValue): RememberedDecision {
  const part = <T>(read: (found: JsonValue) => T, name: string): T => {
    const found = take(value, read, name);
    if (found === undefined) throw damaged(kind, 'an entry lacks a part');
    return found;
  };
  const scope = part((found) => readWord(found, SCOPES), 'scope');
  const isOfTool = scope !== 'server';
  return {
    scope,
    server: part(readString, 'server'),
    identity: part(readFilledString, 'identity'),
    tool: isOfTool ? part(readString, 'tool') : undefined,
    definition: isOfTool ? part(readFilledString, 'definition') : undefined,
    arguments: scope === 'arguments' ? part(readFilledString, 'arguments') : undefined,
    isAllowed: part(readBoolean, 'isAllowed'),
    at: part((found) => readTime(kind, found), 'at'),
  };
}

function readTime(kind: PrivateJson, { content }: JsonValue): number {
  if (typeof content !== 'number') throw damaged(kind, 'a time in it is no number');
  return content;
}
