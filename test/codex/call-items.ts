import { randomUUID } from 'node:crypto';
import type { JsonObject } from './json.ts';
import type { ModelRequest } from './model-request.ts';
import { BadScript, type Call } from './steps.ts';
import { mcpNamespaces, offers, surfaceOf } from './surface.ts';

type CallByName = Exclude<Call, { readonly javascript: string }>;

const SEARCH_LIMIT = 50;

/** Returns the number of call items in the conversation after Codex has run these calls. */
export function countCallItems(calls: readonly Call[], request: ModelRequest): number {
  return surfaceOf(request) === 'code' ? toCodeItems(calls, request).length : calls.length;
}

/**
 * Returns the output items with which a model makes these calls on the surface of this request. On `search`, that
 * is first a search for hidden tools. `searched` is true after that search, to prevent an endless loop.
 */
export function toCallItems(
  calls: readonly Call[],
  options: { readonly request: ModelRequest; readonly searched: boolean },
): readonly JsonObject[] {
  const { request, searched } = options;
  if (calls.length === 0) return [];
  const surface = surfaceOf(request);
  if (surface === 'code') return toCodeItems(calls, request);
  const missing = calls.filter((call) => 'mcp' in call).filter(({ mcp }) => !isVisibleTool(mcp, request));
  const [first] = missing;
  if (first === undefined) return calls.map((call) => toCallItem(call, request));
  if (surface === 'search' && !searched) return missing.map(({ mcp }) => searchCall(`${mcp.server} ${mcp.tool}`));
  const { namespace, name } = toModelName(first.mcp);
  throw new BadScript(`no tool "${name}" in "${namespace}"; in sight: ${mcpNamespaces(request).join(', ') || 'none'}`);
}

function toCallItem(call: Call, request: ModelRequest): JsonObject {
  if ('mcp' in call) return functionCall(toVisibleName(call.mcp, request), call.mcp.arguments);
  if ('javascript' in call) throw new BadScript(`javascript: the model "${request.model}" has no tool that runs it`);
  if ('shell' in call) return shellCall(call.shell, request, call.options);
  if ('patch' in call && offers(request, 'apply_patch')) return customCall('apply_patch', call.patch);
  // Codex recognizes this command line and applies the patch itself, with the same events as for its own tool.
  if ('patch' in call) return shellCall(toHereDocument(call.patch), request);
  if (offers(request, call.tool.name) || offers(request, call.tool.name, 'functions'))
    return functionCall({ name: call.tool.name }, call.tool.arguments);
  // Codex's own agents below an agent.
  if (offers(request, call.tool.name, AGENTS))
    return functionCall({ name: call.tool.name, namespace: AGENTS }, call.tool.arguments);
  throw new BadScript(`tool: the model "${request.model}" has no "${call.tool.name}"`);
}

/** The old Codex has a different tool, which waits for the command and lacks the newer arguments. */
function shellCall(command: string, request: ModelRequest, options: JsonObject = {}): JsonObject {
  if (offers(request, 'exec_command') || !offers(request, 'shell'))
    return functionCall({ name: 'exec_command' }, { ...options, cmd: command });
  const { yield_time_ms: _, ...known } = options;
  return functionCall({ name: 'shell' }, { ...known, command: ['bash', '-lc', command] });
}

/** Combines all calls into one JavaScript program, except JavaScript calls and the tools outside `exec`. */
function toCodeItems(calls: readonly Call[], request: ModelRequest): readonly JsonObject[] {
  const isBeside = (call: Call) => 'tool' in call && offers(request, call.tool.name, 'functions');
  const programs = calls.filter((call) => 'javascript' in call).map((call) => customCall('exec', call.javascript));
  const inside = calls.filter(isByName).filter((call) => !isBeside(call));
  const beside = calls.filter(isBeside).map((call) => toCallItem(call, request));
  const items = [...programs, ...beside];
  return inside.length === 0 ? items : [customCall('exec', toJavaScript(inside)), ...items];
}

function isByName(call: Call): call is CallByName {
  return !('javascript' in call);
}

function toHereDocument(patch: string): string {
  return `apply_patch <<'END_OF_PATCH'\n${patch}\nEND_OF_PATCH`;
}

/** Runs all calls at once and shows each result, or why there is none, to the model. */
function toJavaScript(calls: readonly CallByName[]): string {
  const promises = calls.map((call) => {
    const [name, input] = toJavaScriptCall(call);
    return `  (async () => tools[${JSON.stringify(name)}](${JSON.stringify(input)}))(),`;
  });
  return [
    'const results = await Promise.allSettled([',
    ...promises,
    ']);',
    'for (const result of results) text(result.status === "fulfilled" ? result.value : String(result.reason));',
  ].join('\n');
}

function toJavaScriptCall(call: CallByName): [name: string, input: unknown] {
  if ('shell' in call) return ['exec_command', { ...call.options, cmd: call.shell }];
  if ('patch' in call) return ['apply_patch', call.patch];
  if ('tool' in call) return [call.tool.name, call.tool.arguments ?? {}];
  const { namespace, name } = toModelName(call.mcp);
  return [`${namespace}__${name}`, call.mcp.arguments ?? {}];
}

function isVisibleTool(mcp: { server: string; tool: string }, request: ModelRequest): boolean {
  const { namespace, name } = toModelName(mcp);
  return offers(request, name, namespace) || offers(request, toOldName(mcp));
}

/** The old Codex has no namespaces. Each MCP tool is a function whose name contains the server and the tool. */
function toVisibleName(
  mcp: { server: string; tool: string },
  request: ModelRequest,
): { name: string; namespace?: string } {
  const { namespace, name } = toModelName(mcp);
  return offers(request, name, namespace) ? { namespace, name } : { name: toOldName(mcp) };
}

/** Codex's own rule for short names: it replaces unsupported characters with underscores. */
function toModelName(mcp: { server: string; tool: string }): { namespace: string; name: string } {
  const clean = (raw: string) => raw.replaceAll(/[^A-Za-z0-9_]/gu, '_');
  return { namespace: `mcp__${clean(mcp.server)}`, name: clean(mcp.tool) };
}

/** The old Codex keeps hyphens. */
function toOldName(mcp: { server: string; tool: string }): string {
  return `mcp__${mcp.server}__${mcp.tool}`.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
}

function functionCall(tool: { name: string; namespace?: string }, input: JsonObject = {}): JsonObject {
  return { type: 'function_call', ...ids('fc'), ...tool, arguments: JSON.stringify(input) };
}

function customCall(name: string, input: string): JsonObject {
  return { type: 'custom_tool_call', ...ids('ctc'), name, input, status: 'completed' };
}

function searchCall(query: string): JsonObject {
  const input = { query, limit: SEARCH_LIMIT };
  return { type: 'tool_search_call', ...ids('tsc'), execution: 'client', status: 'completed', arguments: input };
}

function ids(prefix: string): { id: string; call_id: string } {
  const unique = randomUUID();
  return { id: `${prefix}_${unique}`, call_id: `call_${unique}` };
}

const AGENTS = 'multi_agent_v1';
