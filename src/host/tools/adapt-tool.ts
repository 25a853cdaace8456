import { toUSVString } from 'node:util';
import { needsNeutralizing, neutralize, oneLine } from '../../base/text/safe-text.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import { isObject } from '../../wire/messages.ts';
import { readHints } from '../permissions/tool-hints.ts';
import { promptName, toolName } from './tool-name.ts';

/** An upstream's tool in the form of an agent's own tool. */
export interface AdaptedTool {
  readonly name: string;
  /** Begins with the origin of the tool, so that no text of the server can displace it. */
  readonly description: string;
  /** A JSON Schema of type object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly origin: {
    readonly server: string;
    /** Exactly the server's name; not safe to display. */
    readonly tool: string;
    readonly title?: string;
    /** Only the hints that the server gave: unverified claims, on which no permission may depend. */
    readonly annotations: Readonly<Record<string, boolean>>;
  };
  /** Changes and omissions, in short sentences. */
  readonly remarks: readonly string[];
}

export interface AdaptLimits {
  /** Kind of the definition. A prompt is described like a tool. Default: tool. */
  readonly kind?: 'tool' | 'prompt';
  readonly maxDescriptionLength?: number;
  readonly maxSchemaBytes?: number;
}

/** Adapts a definition. Never throws: a tool with an invalid definition can still be called. */
export function adaptTool(serverId: string, definition: Definition, limits: AdaptLimits = {}): AdaptedTool {
  const { kind = 'tool', maxDescriptionLength = MAX_DESCRIPTION_LENGTH, maxSchemaBytes = MAX_SCHEMA_BYTES } = limits;
  const { key } = definition;
  const remarks = [...definition.repairs];
  const tool = parseTool(definition.json, remarks);
  const hints = isObject(tool['annotations']) ? tool['annotations'] : {};
  const title = toUSVString(oneLine(firstText(tool['title'], hints['title']), MAX_TITLE_LENGTH));
  const body = cleanText(firstText(tool['description'], title)).trim();
  const origin = `[MCP server ${quoted(serverId)}, ${kind} ${quoted(key)}]`;
  return {
    name: kind === 'tool' ? toolName(serverId, key) : promptName(serverId, key),
    description: truncate(body === '' ? origin : `${origin} ${body}`, maxDescriptionLength),
    parameters: toParameters(tool['inputSchema'], { maxSchemaBytes, remarks }),
    origin: { server: serverId, tool: key, ...(title === '' ? {} : { title }), annotations: readHints(hints) },
    remarks,
  };
}

const MAX_DESCRIPTION_LENGTH = 4096;
const MAX_TITLE_LENGTH = 200;
const MAX_SHOWN_LENGTH = 100;
export const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_SCHEMA_DEPTH = 64;

function parseTool(json: string, remarks: string[]): Readonly<Record<string, unknown>> {
  try {
    const tool: unknown = JSON.parse(json);
    if (isObject(tool)) return tool;
  } catch {
    // The remark below is the same for every parse error.
  }
  remarks.push('the definition cannot be read; only its name is used');
  return {};
}

function firstText(...candidates: readonly unknown[]): string {
  return candidates.find((candidate) => typeof candidate === 'string' && candidate.trim() !== '')?.toString() ?? '';
}

/** Neutralizes text and makes it well-formed: a provider rejects all tools because of one lone surrogate. */
function cleanText(text: string): string {
  return toUSVString(neutralize(text, { multiline: true }));
}

/** Quotes a name, so that quotes or brackets in it cannot end it. */
function quoted(name: string): string {
  return JSON.stringify(toUSVString(oneLine(name, MAX_SHOWN_LENGTH)));
}

function truncate(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const marker = (remaining: number) => `… [${remaining} more characters]`;
  const available = Math.max(0, maxLength - marker(text.length).length);
  const head = text.slice(0, available).replace(/[\ud800-\udbff]$/, '');
  return `${head}${marker(text.length - head.length)}`;
}

interface SchemaOptions {
  readonly maxSchemaBytes: number;
  readonly remarks: string[];
}

function toParameters(schema: unknown, { maxSchemaBytes, remarks }: SchemaOptions): Readonly<Record<string, unknown>> {
  const reject = (reason: string) => {
    remarks.push(`${reason}; any arguments are accepted`);
    return { type: 'object', additionalProperties: true };
  };
  if (schema === undefined) return reject('the input schema is missing');
  if (!isObject(schema)) return reject('the input schema is not an object');
  if (schema['type'] !== undefined && schema['type'] !== 'object') {
    return reject('the input schema describes something other than an object');
  }
  const state: CopyState = { remarks: new Set(), isTooDeep: false };
  const copied = copyObject(state, { ...schema, type: 'object' }, { role: 'schema', depth: 0 });
  if (state.isTooDeep) return reject(`the input schema is nested more than ${MAX_SCHEMA_DEPTH} levels deep`);
  const bytes = Buffer.byteLength(JSON.stringify(copied));
  if (bytes > maxSchemaBytes) {
    return reject(`the input schema has ${bytes} bytes, but at most ${maxSchemaBytes} are forwarded`);
  }
  if (schema['type'] === undefined) state.remarks.add('the input schema had no type and was given "object"');
  remarks.push(...state.remarks);
  // An empty schema means the same as the substitute for a missing one, so both get the same form.
  return Object.keys(copied).length === 1 ? { ...copied, additionalProperties: true } : copied;
}

interface CopyState {
  readonly remarks: Set<string>;
  isTooDeep: boolean;
}

/** Schemas contain text to read; maps contain schemas under names that the author chose; data is copied unchanged. */
interface SchemaPosition {
  readonly role: 'schema' | 'map' | 'data';
  readonly depth: number;
}

function copyValue(state: CopyState, value: unknown, position: SchemaPosition): unknown {
  // JSON cannot express it, and the schema may be sent as JSON.
  if (value === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
  if (value === Number.NEGATIVE_INFINITY) return -Number.MAX_VALUE;
  if (typeof value !== 'object' || value === null) return value;
  if (position.depth >= MAX_SCHEMA_DEPTH) {
    state.isTooDeep = true;
    return {};
  }
  const inside = { ...position, depth: position.depth + 1 };
  if (Array.isArray(value)) return value.map((element) => copyValue(state, element, inside));
  return copyObject(state, value as Readonly<Record<string, unknown>>, inside);
}

/** Copies a `$ref` like any other text and never resolves it. */
function copyObject(state: CopyState, from: Readonly<Record<string, unknown>>, { role, depth }: SchemaPosition) {
  const members: [string, unknown][] = [];
  for (const [key, value] of Object.entries(from)) {
    if (key === '__proto__') {
      // No author intends it, and merging this object into another one would pollute the prototype.
      state.remarks.add('__proto__ was left out of the input schema');
    } else if (role === 'schema' && typeof value === 'string' && !VALIDATION_KEYWORDS.has(key)) {
      members.push([key, cleanText(value)]);
    } else {
      if (role === 'map' && needsNeutralizing(key)) {
        state.remarks.add(`a property has hidden characters in its name: ${quoted(key)}`);
      }
      members.push([key, copyValue(state, value, { role: roleInside(role, key), depth })]);
    }
  }
  return Object.fromEntries(members);
}

function roleInside(role: SchemaPosition['role'], key: string): SchemaPosition['role'] {
  if (role === 'data') return 'data';
  if (role === 'map') return 'schema';
  if (DATA.has(key)) return 'data';
  return MAPS.has(key) ? 'map' : 'schema';
}

/** Keywords whose text a validator compares; all other text is for reading. */
const VALIDATION_KEYWORDS = new Set([
  ...['$ref', '$dynamicRef', '$recursiveRef', '$id', 'id', '$schema', '$anchor', '$dynamicAnchor', 'type'],
  ...['pattern', 'format', 'contentEncoding', 'contentMediaType', 'const', 'default', 'enum', 'examples'],
]);
const DATA = new Set(['default', 'const', 'enum', 'examples', 'example']);
const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
