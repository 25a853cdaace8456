import { readFileSync, statSync } from 'node:fs';
import { cacheFolder, pathOf, type Surroundings } from '../../config/files/folders.ts';
import { isObject } from '../../wire/messages.ts';

/** What a server offered when it was seen last, as far as a shell can complete it. */
export interface KnownServer {
  readonly tools: readonly KnownTool[];
}

export interface KnownTool {
  readonly name: string;
  /** Of its arguments. */
  readonly keys: readonly KnownKey[];
}

export interface KnownKey {
  readonly name: string;
  /** For reading: `string`, `integer|null`, `low|high`. Empty when nobody said. */
  readonly type: string;
}

export const NAMES_VERSION = 1;
/** Read at every press of a key, so it has to stay small. */
export const MAX_NAMES_BYTES = 4 * 1024 * 1024;
const MAX_NAME_LENGTH = 128;

export function namesFile(surroundings: Surroundings): string {
  return pathOf(surroundings.platform).join(cacheFolder(surroundings), 'names.json');
}

/** By the id of the server. Whatever is not as we write it is like nothing; never throws. */
export function readKnownNames(surroundings: Surroundings): ReadonlyMap<string, KnownServer> {
  const content = parseFile(namesFile(surroundings));
  if (!isObject(content) || content['version'] !== NAMES_VERSION || !isObject(content['servers'])) return new Map();
  const servers = Object.entries(content['servers']).filter(([id]) => isFitName(id));
  return new Map(servers.map(([id, server]) => [id, { tools: listIn(server, 'tools').flatMap(readTool) }]));
}

/**
 * Whether a name can be offered to a shell. Most of these files came from strangers, so only what is known to be
 * harmless counts: a shell, its line editor and a terminal each have characters of their own that mean something.
 */
export function isFitName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH || name.endsWith(' ')) return false;
  // Nearly all names are ASCII, and the tables of Unicode take a while to load.
  return FIT.test(name) || (FIT_ANYWHERE.test(name) && !UNSEEN.test(name));
}

/** Spaces, quotes and the like are escaped for the shell. Neither `$` nor a backtick, `\`, `!`, `;`, `|`, `<`, `>`. */
const FIT = /^(?![- =])[\w@./:+,%= ()[\]{}&#'"*?^-]+$/;
const FIT_ANYWHERE = /^(?![- =\p{M}])[\p{L}\p{M}\p{N}_@./:+,%= ()[\]{}&#'"*?^-]+$/u;
/** Some letters are nothing but a gap. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

function readTool(tool: unknown): readonly KnownTool[] {
  const name = textIn(tool, 'name');
  if (!isFitName(name)) return [];
  return [{ name, keys: listIn(tool, 'keys').flatMap(readKey) }];
}

function readKey(key: unknown): readonly KnownKey[] {
  const name = textIn(key, 'name');
  const type = textIn(key, 'type');
  return isFitKey(name) ? [{ name, type: TYPES.test(type) ? type : '' }] : [];
}

/** What stands before the first `=` of an argument. */
export function isFitKey(name: string): boolean {
  return isFitName(name) && !name.includes('=');
}

const TYPES = /^[\w.|-]{1,300}$/;

function listIn(value: unknown, key: string): readonly unknown[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function textIn(value: unknown, key: string): string {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : '';
}

function parseFile(file: string): unknown {
  try {
    const stats = statSync(file);
    // Looked at before it is opened: a named pipe would keep us waiting for ever.
    if (!stats.isFile() || stats.size > MAX_NAMES_BYTES) return undefined;
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Not there, not to be read, or damaged: it is a cache, and will be written again.
    return undefined;
  }
}
