import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import type { Environment } from '../../config/files/folders.ts';
import { estimateTokens } from '../../schema/estimate-tokens.ts';
import { isObject } from '../../wire/messages.ts';
import {
  isCompletableKey,
  isCompletableName,
  type KnownKey,
  type KnownServer,
  type KnownTool,
  MAX_NAMES_BYTES,
  NAMES_VERSION,
  namesFile,
  readKnownNames,
} from './known-names.ts';

/** One tool as its server defines it. */
export interface ToolText {
  readonly key: string;
  /** The whole definition. */
  readonly json: string;
}

/** The tools of one server. */
export interface ListedServer {
  readonly id: string;
  readonly tools: readonly ToolText[];
}

/**
 * Stores the names of servers' tools for completion. The file is a cache: skips names that do not fit, and ignores
 * write errors. Never throws; writes nothing when the names are unchanged.
 */
export function storeNames(environment: Environment, servers: readonly ListedServer[]): void {
  const known = readKnownNames(environment);
  const seen = new Map<string, KnownServer>();
  for (const { id, tools } of servers) if (isCompletableName(id)) seen.set(id, toServer(tools));
  const isKnown = ([id, server]: readonly [string, KnownServer]) =>
    JSON.stringify(known.get(id)) === JSON.stringify(server);
  if ([...seen].every(isKnown)) return;
  const others = [...known].filter(([id]) => !seen.has(id));
  const text = toText([...others, ...seen]);
  const file = namesFile(environment);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileAtomic(file, text);
  } catch {
    // Without the cache only completion is unavailable.
  }
}

const MAX_SERVERS = 200;
const MAX_TOOLS = 500;
const MAX_KEYS = 64;
/** For a larger definition, only the name is stored. */
const MAX_DEFINITION_LENGTH = 64 * 1024;

function toServer(tools: readonly ToolText[]): KnownServer {
  const tokens = tools.reduce((sum, { json }) => sum + estimateTokens(json), 0);
  return { tools: tools.slice(0, MAX_TOOLS).flatMap(toTool), tokens };
}

function toTool({ key: name, json }: ToolText): readonly KnownTool[] {
  return isCompletableName(name) ? [{ name, keys: json.length > MAX_DEFINITION_LENGTH ? [] : keysOf(json) }] : [];
}

/** Lists required arguments first. */
function keysOf(json: string): readonly KnownKey[] {
  const schema = inputSchemaOf(json);
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const keys = properties
    .filter(([name]) => isCompletableKey(name))
    .map(([name, value]) => ({ name, type: typeOf(value) }));
  const isRequired = ({ name }: KnownKey) => required.includes(name);
  return [...keys.filter(isRequired), ...keys.filter((key) => !isRequired(key))].slice(0, MAX_KEYS);
}

function inputSchemaOf(json: string): Readonly<Record<string, unknown>> {
  try {
    const definition: unknown = JSON.parse(json);
    const schema = isObject(definition) ? definition['inputSchema'] : undefined;
    return isObject(schema) ? schema : {};
  } catch {
    // Nested too deeply, or invalid: only the name is stored.
    return {};
  }
}

/** Returns a short type for display: the values if there are few, otherwise the types. */
function typeOf(schema: unknown): string {
  if (!isObject(schema)) return '';
  const values: readonly unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : [];
  if (values.length > 0 && values.length <= MAX_VALUES && values.every(isShortWord)) return values.join('|');
  const types: readonly unknown[] = [schema['type']].flat();
  return types.length <= MAX_VALUES && types.every(isShortWord) ? types.join('|') : '';
}

const MAX_VALUES = 8;

function isShortWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{1,32}$/.test(value);
}

/** Drops the least recently seen servers when there are too many. */
function toText(servers: readonly (readonly [string, KnownServer])[]): string {
  for (let kept = servers.slice(-MAX_SERVERS); ; kept = kept.slice(1)) {
    const text = `${JSON.stringify({ version: NAMES_VERSION, servers: Object.fromEntries(kept) })}\n`;
    if (Buffer.byteLength(text) <= MAX_NAMES_BYTES || kept.length === 0) return text;
  }
}
