import { isObject, type JsonObject, objectsOf } from './json.ts';
import { type ModelRequest, textOf } from './model-request.ts';
import type { Step } from './steps.ts';

/** One tool of an MCP server as the model reads it. */
export type ShownTool = {
  readonly description: string;
  /** A schema; where the model writes programs, the declaration of a function in TypeScript. */
  readonly input: unknown;
};

const MAX_NAMES_PER_PROGRAM = 25;

/** Programs by which a model that writes programs is shown these tools; Codex cuts an answer that is too long. */
export function lookAtTools(count: number): readonly Step[] {
  const starts = Array.from({ length: Math.ceil(count / MAX_NAMES_PER_PROGRAM) }, (_, n) => n * MAX_NAMES_PER_PROGRAM);
  return starts.map((start) => ({
    javascript: [
      `const found = ALL_TOOLS.filter(({ name }) => name.startsWith("mcp__"));`,
      `for (const tool of found.slice(${start}, ${start + MAX_NAMES_PER_PROGRAM})) text(JSON.stringify(tool));`,
    ].join('\n'),
  }));
}

/** All MCP tools that a request shows: at once, as found by a search, or as a program has printed them. */
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

/** Namespaces hold the tools of today's Codex; the old one shows each by its whole name. */
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
