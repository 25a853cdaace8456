import { headerText, paramHeaders } from '../../../../schema/param-headers.ts';
import { rawMember } from '../../../../wire/json/scan.ts';
import { isObject } from '../../../../wire/messages.ts';
import { MODERN_VERSION } from '../../../../wire/protocol-versions.ts';
import type { Round } from '../../modern/carrier.ts';
import type { ParsedRequest } from '../../modern/envelope.ts';
import type { KnownTools } from './known-tools.ts';

type Headers = Readonly<Record<string, string>>;

/** Returns the headers of every message. */
export function methodHeaders(method: string): Headers {
  return { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method };
}

/** Returns the headers of a request: its method, what it names, and the arguments that its tool declares as headers. */
export function roundHeaders({ request: { method }, parsed }: Round, tools: KnownTools): Headers {
  const headers = methodHeaders(method);
  const named = Object.hasOwn(NAMES, method) ? NAMES[method] : undefined;
  const params = named === undefined ? undefined : paramsOf(parsed);
  const name = named !== undefined && isObject(params) ? params[named] : undefined;
  if (typeof name !== 'string') return headers;
  const wanted = method === 'tools/call' ? tools.headersOf(name) : [];
  return { ...headers, 'mcp-name': headerText(name), ...paramHeaders(wanted, () => argumentsText(parsed)) };
}

/** The member of the params that identifies what a request concerns. */
const NAMES: Headers = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function paramsOf({ bytes, params }: ParsedRequest): unknown {
  return params === undefined ? undefined : JSON.parse(bytes.toString('utf8', params.start, params.end));
}

function argumentsText({ bytes, params }: ParsedRequest): string {
  return (params && rawMember(bytes.subarray(params.start, params.end), 'arguments')) ?? '{}';
}
