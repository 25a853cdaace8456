import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { pick, readFilledString, readList } from './decode.ts';
import { dataFolder, pathOf, type Surroundings } from './folders.ts';
import { type JsonValue, parseJsonText } from './json-text.ts';
import { toError } from './problem.ts';
import { errnoText, readBytes } from './read-bytes.ts';

/** What trust.json holds. */
export interface TrustStore {
  /** Without it a fingerprint cannot be made, nor guessed back into the values it stands for. */
  readonly key: Buffer;
  readonly records: readonly TrustRecord[];
}

export interface TrustRecord {
  /** The real path of the config file. */
  readonly file: string;
  readonly id: string;
  readonly fingerprint: string;
}

export function trustFile(surroundings: Surroundings): string {
  return pathOf(surroundings.platform).join(dataFolder(surroundings), 'trust.json');
}

export function createTrustStore(): TrustStore {
  return { key: randomBytes(KEY_BYTES), records: [] };
}

/** Undefined when there is none yet. Throws for one that is damaged or newer than we are. */
export function readTrustStore(file: string): TrustStore | undefined {
  const content = readBytes(file);
  if (content === undefined) return undefined;
  const root = parseJsonText(file, content.bytes);
  checkVersion(file, pick(root, 'version'));
  const [key, entries] = [pick(root, 'key'), pick(root, 'entries')];
  if (key === undefined || entries === undefined) throw damaged(file, 'it lacks a part');
  const decoded = Buffer.from(readFilledString(key), 'base64');
  if (decoded.length !== KEY_BYTES) throw damaged(file, 'its key is too short or too long');
  return { key: decoded, records: readList(entries).map((entry) => readRecord(file, entry)) };
}

/** Whole or not at all: a reader sees the old file or the new one. */
export function writeTrustStore(file: string, { key, records }: TrustStore): void {
  const text = `${JSON.stringify({ version: VERSION, key: key.toString('base64'), entries: records }, null, 2)}\n`;
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    renameSync(temporary, file);
  } catch (error) {
    removeQuietly(temporary);
    throw toError({ file, line: 0, message: `Trust cannot be stored: ${errnoText(error)}.` }, error);
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // It was never made, or cannot be reached any more; why is told already.
  }
}

const VERSION = 1;
const KEY_BYTES = 32;

function checkVersion(file: string, value: JsonValue | undefined): void {
  const version = value?.content;
  if (version === VERSION) return;
  if (typeof version !== 'number' || version < VERSION) throw damaged(file, 'its version is missing');
  const message = `This is version ${version}, and this switchboard knows ${VERSION} only: update switchboard.`;
  throw toError({ file, line: 0, message });
}

function readRecord(file: string, value: JsonValue): TrustRecord {
  const [path, id, fingerprint] = [pick(value, 'file'), pick(value, 'id'), pick(value, 'fingerprint')];
  if (path === undefined || id === undefined || fingerprint === undefined) throw damaged(file, 'an entry lacks a part');
  return { file: readFilledString(path), id: readFilledString(id), fingerprint: readFilledString(fingerprint) };
}

/** It is never overwritten: who damaged it may have had more in it than we can see. */
function damaged(file: string, what: string) {
  return toError({ file, line: 0, message: `The file is damaged: ${what}. Remove it, and trust your projects again.` });
}
