import { rawMember } from '../wire/json/scan.ts';
import { isObject } from '../wire/messages.ts';

/** An argument that a server requires as a header, so that a proxy in front of it need not read the body. */
export interface ParamHeader {
  /** Path to the argument through nested objects. */
  readonly path: readonly string[];
  readonly header: string;
}

/** Returns the headers that a tool schema requires, or a text that says why its declaration is invalid. */
export function readParamHeaders(inputSchema: unknown): readonly ParamHeader[] | string {
  const found: ParamHeader[] = [];
  const seen = new Set<string>();
  const fault = visit(inputSchema, { path: [], depth: 0, isReachable: true }, (path, name, type) => {
    if (typeof name !== 'string' || !TOKEN.test(name))
      return `x-mcp-header of ${path.join('.')} is not a valid header name`;
    if (!PLAIN_TYPES.has(type))
      return `x-mcp-header of ${path.join('.')} is on something other than text, integer or boolean`;
    const key = name.toLowerCase();
    if (seen.has(key)) return `x-mcp-header ${name} is used twice`;
    seen.add(key);
    found.push({ path, header: `mcp-param-${key}` });
    return undefined;
  });
  return fault ?? found;
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const PLAIN_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
const MAX_DEPTH = 64;

type Found = (path: readonly string[], name: unknown, type: unknown) => string | undefined;

interface SchemaPosition {
  readonly path: readonly string[];
  readonly depth: number;
  /** Reachable through `properties` alone. Below other keywords, the path does not identify one argument. */
  readonly isReachable: boolean;
}

function visit(schema: unknown, position: SchemaPosition, onHeader: Found): string | undefined {
  if (!isObject(schema) || position.depth > MAX_DEPTH) return undefined;
  if (Object.hasOwn(schema, 'x-mcp-header')) {
    if (!position.isReachable)
      return `x-mcp-header of ${position.path.join('.')} cannot be reached by properties alone`;
    const fault = onHeader(position.path, schema['x-mcp-header'], schema['type']);
    if (fault !== undefined) return fault;
  }
  for (const [key, value] of Object.entries(schema)) {
    const depth = position.depth + 1;
    if (key === 'properties' && isObject(value)) {
      for (const [name, property] of Object.entries(value)) {
        const fault = visit(property, { ...position, path: [...position.path, name], depth }, onHeader);
        if (fault !== undefined) return fault;
      }
    } else if (SCHEMA_KEYS.has(key) || SCHEMA_MAPS.has(key)) {
      const inner = SCHEMA_MAPS.has(key) && isObject(value) ? Object.values(value) : [value].flat();
      for (const one of inner) {
        const fault = visit(one, { ...position, depth, isReachable: false }, onHeader);
        if (fault !== undefined) return fault;
      }
    }
  }
  return undefined;
}

const SCHEMA_KEYS: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['anyOf', 'oneOf', 'allOf', 'unevaluatedItems', 'unevaluatedProperties'],
]);

/** Keywords whose members are schemas. */
const SCHEMA_MAPS: ReadonlySet<string> = new Set(['$defs', 'definitions', 'patternProperties', 'dependentSchemas']);

/** Returns the headers of one call, from its arguments as written. Null or missing arguments have no header. */
export function paramHeaders(
  wanted: readonly ParamHeader[],
  argumentsText: () => string,
): Readonly<Record<string, string>> {
  if (wanted.length === 0) return {};
  const args = argumentsText();
  const headers: Record<string, string> = {};
  for (const { path, header } of wanted) {
    const value = plainText(findMember(args, path));
    if (value !== undefined) headers[header] = headerText(value);
  }
  return headers;
}

function findMember(json: string, path: readonly string[]): string | undefined {
  let found: string | undefined = json;
  for (const key of path) found = found === undefined ? undefined : rawMember(Buffer.from(found), key);
  return found;
}

/**
 * Converts a scalar to text. Numbers stay as written in the body, except that integers are normalized: 1.0 becomes 1.
 */
function plainText(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null' || /^[[{]/.test(json)) return undefined;
  if (json.startsWith('"')) return String(JSON.parse(json));
  if (json === 'true' || json === 'false' || /^-?\d+$/.test(json)) return json;
  const number = Number(json);
  return Number.isSafeInteger(number) ? String(number) : json;
}

/** Returns the value unchanged if a header can hold it, otherwise as base64 with a marker. */
export function headerText(value: string): string {
  const isPlain = /^[\x20-\x7e]*$/.test(value) && value.trim() === value && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
