import { type JsonObject, objectsOf } from './json.ts';
import type { ModelRequest } from './model-request.ts';

/**
 * How Codex shows its tools, which depends on the model's name (Codex 0.166):
 * - `direct`: function tools, and one namespace for each MCP server (names that Codex does not know);
 * - `search`: function tools and `apply_patch`; the model must first find MCP tools with `tool_search` (gpt-5.5);
 * - `code`: one tool `exec` that runs JavaScript, in which all others are functions (gpt-5.6 and later).
 */
export type Surface = 'direct' | 'search' | 'code';

export function surfaceOf(request: ModelRequest): Surface {
  if (namespace(addedTools(request), 'functions').some((tool) => tool['name'] === 'exec')) return 'code';
  return request.tools.some((tool) => tool['type'] === 'tool_search') ? 'search' : 'direct';
}

/** Returns whether the model may call this tool now: by its name alone, or as a member of a namespace. */
export function offers(request: ModelRequest, name: string, inNamespace?: string): boolean {
  const tools = [...request.tools, ...addedTools(request), ...foundTools(request)];
  const members = inNamespace === undefined ? tools : namespace(tools, inNamespace);
  return members.some((tool) => tool['name'] === name);
}

/** The names of the visible MCP namespaces, for error messages. */
export function mcpNamespaces(request: ModelRequest): readonly string[] {
  return [...request.tools, ...foundTools(request)]
    .map((tool) => String(tool['name']))
    .filter((name) => name.startsWith('mcp__'));
}

function addedTools(request: ModelRequest): readonly JsonObject[] {
  return request.input
    .filter((item) => item['type'] === 'additional_tools')
    .flatMap((item) => objectsOf(item['tools']));
}

function foundTools(request: ModelRequest): readonly JsonObject[] {
  return request.input
    .filter((item) => item['type'] === 'tool_search_output')
    .flatMap((item) => objectsOf(item['tools']));
}

function namespace(tools: readonly JsonObject[], name: string): readonly JsonObject[] {
  return tools
    .filter((tool) => tool['type'] === 'namespace' && tool['name'] === name)
    .flatMap((tool) => objectsOf(tool['tools']));
}
