import { isObject, type JsonObject, objectsOf } from './json.ts';
import { type ModelRequest, textOf } from './model-request.ts';
import type { Step } from './steps.ts';

/** One tool of an MCP server as the model reads it. */
export type ShownTool = {
  readonly description: string;
  /** The schema or, for a model that writes programs, a TypeScript function declaration. */
  readonly input: unknown;
};

const MAX_NAMES_PER_PROGRAM = 25;

/** Programs that print these tools for a model that writes programs. Codex truncates long output. */
export function printToolsSteps(count: number): readonly Step[] {
  const starts = Array.from({ length: Math.ceil(count / MAX_NAMES_PER_PROGRAM) }, (_, n) => n * MAX_NAMES_PER_PROGRAM);
  return starts.map((start) => ({
    javascript: [
      `const found = ALL_TOOLS.filter(({ name }) => name.startsWith("mcp__"));`,
      `for (const tool of found.slice(${start}, ${start + MAX_NAMES_PER_PROGRAM})) text(JSON.stringify(tool));`,
    ].join('\n'),
  }));
}

/** Returns all MCP tools in a request: listed directly, found by a search, or printed by a program. */
export function shownTools(request: ModelRequest): readonly ShownTool[] {
  const found = request.input
    .filter(({ type }) => type === 'tool_search_output')
    .flatMap(({ tools }) => objectsOf(tools));
  const declared = [...request.tools, ...found].flatMap((tool) => membersOf(tool));
  return unique([
    ...declared.map(({ description, parameters }) => ({ description: String(description), input: parameters })),
    ...printedTools(request),
  ]);
}

/** The current Codex groups tools in namespaces. The old one lists each by its full name. */
function membersOf(tool: JsonObject): readonly JsonObject[] {
  if (!String(tool['name']).startsWith('mcp__')) return [];
  return tool['type'] === 'namespace' ? objectsOf(tool['tools']) : [tool];
}

function printedTools(request: ModelRequest): readonly ShownTool[] {
  return request.input
    .filter(({ type }) => type === 'custom_tool_call_output')
    .flatMap(({ output }) => objectsOf(output))
    .map((part) => textOf([part]))
    .filter((text) => text.startsWith('{"name":"mcp__'))
    .map((text) => {
      const tool: unknown = JSON.parse(text);
      const [description = '', input] = String(isObject(tool) ? tool['description'] : '').split(
        '\n\nexec tool declaration:\n',
      );
      return { description: description.split('\n\n')[0] ?? '', input };
    });
}

function unique(tools: readonly ShownTool[]): readonly ShownTool[] {
  return [...new Map(tools.map((tool) => [tool.description, tool])).values()];
}
