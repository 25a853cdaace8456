import { readFileSync, statSync } from 'node:fs';
import { cacheFolder, type Environment, platformPath } from '../../config/files/folders.ts';
import { isObject } from '../../wire/messages.ts';

/** The last known tools of a server, as far as a shell can complete them. */
export interface KnownServer {
  readonly tools: readonly KnownTool[];
  /** Estimated tokens of all their definitions in the context of a model. */
  readonly tokens: number;
}

export interface KnownTool {
  readonly name: string;
  /** Keys of the tool's arguments. */
  readonly keys: readonly KnownKey[];
}

export interface KnownKey {
  readonly name: string;
  /** For display: `string`, `integer|null`, `low|high`. Empty when unknown. */
  readonly type: string;
}

export const NAMES_VERSION = 1;
/** Small, because every key press reads the file. */
export const MAX_NAMES_BYTES = 4 * 1024 * 1024;
const MAX_NAME_LENGTH = 128;

export function namesFile(environment: Environment): string {
  return platformPath(environment.platform).join(cacheFolder(environment), 'names.json');
}

/** Returns the known servers by id. Ignores malformed content; never throws. */
export function readKnownNames(environment: Environment): ReadonlyMap<string, KnownServer> {
  const content = parseFile(namesFile(environment));
  if (!isObject(content) || content['version'] !== NAMES_VERSION || !isObject(content['servers'])) return new Map();
  const servers = Object.entries(content['servers']).filter(([id]) => isCompletableName(id));
  return new Map(servers.map(([id, server]) => [id, readServer(server)]));
}

/**
 * Whether a name is safe to offer to a shell. Most names come from third parties, so this is an allowlist: the shell,
 * its line editor and the terminal each have special characters of their own.
 */
export function isCompletableName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH || name.endsWith(' ')) return false;
  // Nearly all names are ASCII, and the Unicode tables take a while to load.
  return PLAIN_NAME.test(name) || (UNICODE_NAME.test(name) && !UNSEEN.test(name));
}

/**
 * Spaces, quotes and similar characters are escaped for the shell. Excludes `$`, backtick, `\`, `!`, `;`, `|`, `<` and
 * `>`.
 */
const PLAIN_NAME = /^(?![- =])[\w@./:+,%= ()[\]{}&#'"*?^-]+$/;
const UNICODE_NAME = /^(?![- =\p{M}])[\p{L}\p{M}\p{N}_@./:+,%= ()[\]{}&#'"*?^-]+$/u;
/** Some letters are invisible. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

function readServer(server: unknown): KnownServer {
  const tokens = isObject(server) ? server['tokens'] : undefined;
  return { tools: listIn(server, 'tools').flatMap(readTool), tokens: typeof tokens === 'number' ? tokens : 0 };
}

function readTool(tool: unknown): readonly KnownTool[] {
  const name = textIn(tool, 'name');
  if (!isCompletableName(name)) return [];
  return [{ name, keys: listIn(tool, 'keys').flatMap(readKey) }];
}

function readKey(key: unknown): readonly KnownKey[] {
  const name = textIn(key, 'name');
  const type = textIn(key, 'type');
  return isCompletableKey(name) ? [{ name, type: TYPES.test(type) ? type : '' }] : [];
}

/** Whether a key can be completed before the first `=` of an argument. */
export function isCompletableKey(name: string): boolean {
  return isCompletableName(name) && !name.includes('=');
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
    // Checked before opening: reading a named pipe would block forever.
    if (!stats.isFile() || stats.size > MAX_NAMES_BYTES) return undefined;
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // Missing, unreadable or damaged: it is a cache, and will be written again.
    return undefined;
  }
}
