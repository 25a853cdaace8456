import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '../../../../base/errors.ts';
import type { ParamHeader } from '../../../../schema/param-headers.ts';
import { CAPABILITIES_KEY, VERSION_KEY } from '../../../../wire/envelope-keys.ts';
import { isObject } from '../../../../wire/messages.ts';
import { MODERN_VERSION } from '../../../../wire/protocol-versions.ts';
import type { ModernRequest } from './modern-request.ts';

/**
 * Returns why a modern request is invalid: its envelope is incomplete, or a header that repeats a part of the body is
 * missing or differs from it. A proxy decides by the headers, so a difference could circumvent it.
 */
export function findHeaderProblem(headers: IncomingHttpHeaders, request: ModernRequest): AppError | undefined {
  const {
    method,
    envelope: { meta },
  } = request;
  const version = meta[VERSION_KEY];
  if (typeof version !== 'string') return missingInEnvelope(VERSION_KEY);
  if (!isObject(meta[CAPABILITIES_KEY])) return missingInEnvelope(CAPABILITIES_KEY);
  const versionHeader = headerOf(headers, 'mcp-protocol-version');
  if (versionHeader !== undefined && versionHeader !== version)
    return mismatch('MCP-Protocol-Version', versionHeader, `the body has ${JSON.stringify(version)}`);
  const methodHeader = headerOf(headers, 'mcp-method');
  if (methodHeader !== undefined && methodHeader !== method)
    return mismatch('Mcp-Method', methodHeader, `the body has ${JSON.stringify(method)}`);
  if (version !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested: version };
    return new AppError('UNSUPPORTED_VERSION', `Protocol version ${version} is not supported here.`, { data });
  }
  if (versionHeader === undefined) return missing('MCP-Protocol-Version', version);
  if (methodHeader === undefined) return missing('Mcp-Method', method);
  return findNameProblem(headers, request);
}

function findNameProblem(headers: IncomingHttpHeaders, { method, param }: ModernRequest): AppError | undefined {
  const member = NAMED_BY.get(method);
  const name = member && param(member);
  if (typeof name !== 'string') return undefined;
  const header = headerOf(headers, 'mcp-name');
  if (header === undefined) return missing('Mcp-Name', name);
  if (decodeHeader(header) === name) return undefined;
  return mismatch('Mcp-Name', header, `params.${member} is ${JSON.stringify(name)}`);
}

/** The methods whose params name what they act on, and the member that does. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Returns why a tool call is invalid: an argument differs from the header in which the tool wants it repeated. */
export function findParamProblem(
  headers: IncomingHttpHeaders,
  declared: readonly ParamHeader[],
  args: unknown,
): AppError | undefined {
  for (const { path, header: name } of declared) {
    const value = valueAt(args, path);
    const text = plainText(value);
    if (text === undefined) continue;
    const header = headerOf(headers, name);
    if (header === undefined) return missing(name, text);
    const decoded = decodeHeader(header);
    const isEqual = typeof value === 'number' ? isNumber(decoded, value) : decoded === text;
    if (!isEqual) return mismatch(name, header, `arguments.${path.join('.')} is ${JSON.stringify(value)}`);
  }
  return undefined;
}

function valueAt(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

/** Numbers that lose digits when parsed cannot be compared. */
function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || (Number.isInteger(value) && !Number.isSafeInteger(value))) return undefined;
  return String(value);
}

function isNumber(text: string | undefined, value: number): boolean {
  return text !== undefined && /^-?\d+(\.\d+)?$/.test(text) && Number(text) === value;
}

/** Decodes a value that a header cannot hold as it is. Returns undefined if the encoding is invalid. */
function decodeHeader(header: string): string | undefined {
  if (!header.startsWith('=?base64?') || !header.endsWith('?=')) return header;
  const bytes = Buffer.from(header.slice(9, -2), 'base64');
  if (bytes.toString('base64') !== header.slice(9, -2)) return undefined;
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

function missingInEnvelope(key: string): AppError {
  const message = `params._meta["${key}"] is required on every request of protocol version ${MODERN_VERSION}.`;
  return new AppError('INVALID_PARAMS', message, { data: { missing: [key] } });
}

function missing(header: string, value: string): AppError {
  return new AppError(
    'HEADER_MISMATCH',
    `The ${header} header is missing. Send it with the value ${JSON.stringify(value)}.`,
  );
}

function mismatch(header: string, value: string, body: string): AppError {
  return new AppError('HEADER_MISMATCH', `The ${header} header is ${JSON.stringify(value)}, but ${body}.`);
}
