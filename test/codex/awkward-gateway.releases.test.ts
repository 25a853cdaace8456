import { describe, expect, test } from 'vitest';
import { gatewayFor, longTimeoutEnv } from '../interop/programs.ts';
import { verifies } from '../verifies.ts';
import { type AppServer, openAppServer } from './app-server.ts';
import { allTools, awkwardServer, OLD, rawNameOf, type ToolSurface, toolSurfaces } from './awkward-server.ts';
import { createCodexHome } from './home.ts';
import { isObject, type JsonObject, objectsOf } from './json.ts';
import { openModel } from './model.ts';
import { textOf } from './model-request.ts';
import { printToolsSteps, type ShownTool, shownTools } from './model-tools.ts';
import { runsCodex } from './releases.ts';
import type { Call, Step } from './steps.ts';
import { runTurn, startThread } from './thread.ts';

/** Keywords that Codex strips from a schema must be described in words that the model reads. */
const words: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  no_type: ['Anything at all.'],
  range: [/\b1\b/u, /\b10\b/u, /\b3\b/u],
  length: [/\b2\b/u, /\b4\b/u],
  pattern: ['^[a-z]+-[0-9]+$'],
  format: ['date-time'],
  count: [/\b3\b/u, /unique|duplicates|distinct/iu],
  default: [/default.*42/iu],
  title_and_examples: ['Home town', 'Oslo'],
  not: ['forbidden'],
  pattern_properties: ['^x-'],
  large_number_in_enum: ['1e400'],
  large_number_as_minimum: ['-1e400'],
};

test.each(toolSurfaces)(
  'on the $kind surface every awkward tool reaches the model and can be called',
  async (surface) => {
    const shown = await callThroughGateway(surface, allTools);

    // The old Codex gets what its own rules keep, which is without descriptions.
    const unsaid = Object.entries(surface.release === 'old' ? {} : words).flatMap(([tool, parts]) =>
      parts.filter((part) => !says(shown.get(tool), part)).map((part) => [tool, String(part), shown.get(tool)]),
    );
    expect(unsaid).toEqual([]);
    const inputs = [...shown].map(([tool, { input }]) => [tool, input] as const);
    expect(surface.kind === 'code' ? [] : inputs.filter(([, input]) => !isTyped(input))).toEqual([]);
  },
);

describe.runIf(runsCodex('old'))('an old Codex', () => {
  verifies('schema:legacy:accepted', 'loads integers and missing types through the gateway', async () => {
    const tools = allTools.filter(({ name }) => ['integer', 'no_type', 'no_type_at_top', 'null_type'].includes(name));
    const shown = await callThroughGateway(OLD, tools);
    expect(Object.fromEntries([...shown].map(([tool, { input }]) => [tool, input]))).toMatchObject({
      integer: { type: 'object', properties: { value: { type: 'number' } } },
      no_type: { type: 'object', properties: { value: { type: 'string', description: 'Anything at all.' } } },
      no_type_at_top: { type: 'object', properties: { value: { type: 'number' } } },
      null_type: { type: 'object', properties: { value: { type: 'string' } } },
    });
  });
});

/** Calls each tool once with its arguments, which must arrive. Returns what the model was shown, by tool. */
async function callThroughGateway(
  { kind: surface, release, model: name }: ToolSurface,
  tools: typeof allTools,
): Promise<ReadonlyMap<string, ShownTool>> {
  using gateway = gatewayFor({ odd: awkwardServer(...tools.map((tool) => tool.name)) });
  await using model = await openModel();
  const gw = {
    command: gateway.command,
    args: gateway.args,
    env: { ...longTimeoutEnv, SWITCHBOARD_HOME: gateway.folder },
  };
  await using home = await createCodexHome({ modelUrl: model.url, model: name, release, mcpServers: { gw } });
  await using server = await openAppServer({ home });
  const threadId = await startThread(server, { cwd: home.workDir });
  const names = await publicNames(server, release === 'old' ? {} : { threadId });
  const expected = tools.map((tool) => tool.name).toSorted();
  expect([...names.keys()].toSorted()).toEqual(expected);
  const calls = tools.map((tool) => ({
    mcp: { server: 'gw', tool: names.get(tool.name) ?? '', arguments: tool.arguments },
  }));
  const looks = surface === 'code' ? printToolsSteps(tools.length) : [];
  const turn = await runTurn(server, threadId, [...looks, ...inGroups(calls), { message: 'done' }]);

  expect(turn).toMatchObject({ status: 'completed', error: null });
  expect(answers(server)).toEqual(
    tools.map((tool) => JSON.stringify({ tool: tool.name, arguments: tool.arguments })).toSorted(),
  );
  const shown = new Map(model.requests.flatMap(shownTools).map((tool) => [rawNameOf(tool), tool]));
  expect([...shown.keys()].toSorted()).toEqual(expected);
  return shown;
}

/** A model that must search searches for each tool of a group, and receives many more. All at once are too many. */
function inGroups(calls: readonly Call[]): Step[] {
  const starts = calls.map((_, index) => index).filter((index) => index % MAX_CALLS_AT_ONCE === 0);
  return starts.map((start) => ({ calls: calls.slice(start, start + MAX_CALLS_AT_ONCE) }));
}

const MAX_CALLS_AT_ONCE = 30;

/** The name under which the gateway offers each tool of the server. */
async function publicNames(server: AppServer, params: JsonObject): Promise<ReadonlyMap<string, string>> {
  const { data } = await server.request('mcpServerStatus/list', params);
  const tools = objectsOf(data).flatMap((status) => (isObject(status['tools']) ? Object.values(status['tools']) : []));
  return new Map(
    tools
      .filter(isObject)
      .map((tool) => [rawNameOf({ description: String(tool['description']) }), String(tool['name'])]),
  );
}

/** The sorted answers of the tools. Each contains the tool's own name and its arguments. */
function answers(server: AppServer): readonly string[] {
  return server.notifications
    .filter(({ method }) => method === 'item/completed')
    .map(({ params }) => params['item'])
    .filter(isObject)
    .filter(({ type }) => type === 'mcpToolCall')
    .map(({ result, error }) => (isObject(result) ? textOf(result['content']) : JSON.stringify(error)))
    .toSorted();
}

function says(tool: unknown, part: string | RegExp): boolean {
  // As text, not as JSON, so that a backslash or quote from the server is written once.
  const text = JSON.stringify(tool).replaceAll(/\\(["\\])/gu, '$1');
  return typeof part === 'string' ? text.includes(part) : part.test(text);
}

/** Returns whether every value has a type, either directly or through a reference. */
function isTyped(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, $ref, anyOf, oneOf, allOf, items, properties } = schema;
  const parts = [anyOf, oneOf, allOf].flatMap(objectsOf);
  // A value of any type may be a list of any type, so types must end there.
  const isAnything = Array.isArray(type) && isObject(items) && Object.keys(items).length === 0;
  const members = [
    ...parts,
    ...(items === undefined || isAnything ? [] : [items]),
    ...(isObject(properties) ? Object.values(properties) : []),
  ];
  return (type !== undefined || $ref !== undefined || parts.length > 0) && members.every(isTyped);
}
