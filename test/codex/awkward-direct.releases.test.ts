import { describe, expect, test } from 'vitest';
import { type AppServer, openAppServer } from './app-server.ts';
import { awkwardServer, rawNameOf, toolSurfaces } from './awkward-server.ts';
import type { CodexRelease } from './codex-binary.ts';
import { awkwardTools, fatalTools, unreadableTools } from './fixtures/awkward-tools.mjs';
import { createCodexHome } from './home.ts';
import { isObject, objectsOf } from './json.ts';
import { openModel } from './model.ts';
import { toolOutputs } from './model-request.ts';
import { shownTools } from './model-tools.ts';
import { codexReleases } from './releases.ts';
import { runTurn, startThread } from './thread.ts';
import type { TomlTable } from './toml.ts';

/** How long Codex waits for a response that it cannot parse. */
const MAX_WAIT_SEC = 12;

const KEPT = 'kept';
const DROPPED = 'dropped';
/** How the old Codex shows everything that it does not understand. */
const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const ARRAY = { type: 'array', items: TEXT };
const OBJECT = { type: 'object', properties: {} };
const ofA = (type: string) => ({ type: 'object', properties: { a: { type } }, required: ['a'] });

/** What the model receives about the awkward property from the current and the old Codex, without a gateway. */
const table: readonly (readonly [tool: string, current: unknown, old: unknown])[] = [
  ['integer', KEPT, NUMBER],
  ['no_type', {}, { ...TEXT, description: 'Anything at all.' }],
  ['no_type_but_properties', ofA('integer'), ofA('number')],
  ['no_type_but_items', { type: 'array', items: { type: 'integer' } }, { type: 'array', items: NUMBER }],
  ['type_list', KEPT, TEXT],
  ['type_list_of_containers', { type: ['array', 'object'], items: TEXT, properties: {} }, ARRAY],
  ['any_of', KEPT, TEXT],
  ['one_of', KEPT, TEXT],
  [
    'all_of',
    {
      allOf: [
        { type: 'object', properties: { a: { type: 'integer' } } },
        { ...OBJECT, required: ['a'] },
      ],
    },
    TEXT,
  ],
  ['enum_no_type', { type: 'string', enum: ['one', 'two'] }, TEXT],
  ['enum_of_many_types', { type: 'string', enum: [1, 2, null] }, TEXT],
  ['const_text', { type: 'string', enum: ['fixed'] }, TEXT],
  ['const_number', { type: 'string', enum: [7] }, TEXT],
  ['closed', KEPT, { type: 'object', properties: { a: NUMBER }, additionalProperties: false }],
  ['map', { ...OBJECT, additionalProperties: { type: 'integer' } }, { ...OBJECT, additionalProperties: NUMBER }],
  ['array_no_items', ARRAY, ARRAY],
  ['prefix_items', ARRAY, ARRAY],
  ['tuple_items', DROPPED, DROPPED],
  ['tuples_in_tuples', DROPPED, DROPPED],
  ['tuple_deep', DROPPED, TEXT],
  ['null_type', KEPT, DROPPED],
  ['unknown_type', {}, DROPPED],
  ['number_as_type', {}, TEXT],
  ['true_schema', TEXT, TEXT],
  ['empty_schema', KEPT, TEXT],
  ['range', { type: 'integer' }, NUMBER],
  ['length', TEXT, TEXT],
  ['pattern', TEXT, TEXT],
  ['format', TEXT, TEXT],
  ['count', { ...ARRAY, minItems: 1 }, ARRAY],
  ['default', { type: 'integer' }, NUMBER],
  ['title_and_examples', TEXT, TEXT],
  ['nullable', TEXT, TEXT],
  ['not', TEXT, TEXT],
  ['if_else', OBJECT, OBJECT],
  ['pattern_properties', OBJECT, OBJECT],
  ['number_as_description', DROPPED, DROPPED],
  ['null_as_description', TEXT, TEXT],
  ['list_as_description', DROPPED, DROPPED],
  ['refs', KEPT, TEXT],
  ['definitions', KEPT, TEXT],
  ['recursive', KEPT, TEXT],
  ['empty_top', OBJECT, OBJECT],
  ['no_type_at_top', KEPT, NUMBER],
  ['any_of_at_top', { properties: {}, anyOf: expect.any(Array) }, OBJECT],
  ['type_list_at_top', KEPT, DROPPED],
  // Above 5000 bytes, the current Codex drops the descriptions.
  ['over_5000_bytes', { type: 'integer' }, { ...NUMBER, description: expect.stringContaining('number 31 of sixty') }],
  ['dots.and/slash', KEPT, NUMBER],
  ['UPPER-case', KEPT, NUMBER],
  ['unicode_é_日本', KEPT, NUMBER],
  ['meets.x', KEPT, NUMBER],
  ['meets/x', KEPT, DROPPED],
  ['meets-x', KEPT, NUMBER],
  [`long_${'n'.repeat(120)}`, KEPT, NUMBER],
  ['large_number_in_enum', { type: 'string', enum: [7, Number.POSITIVE_INFINITY] }, DROPPED],
  ['large_number_as_minimum', { type: 'integer' }, DROPPED],
  ['large_number_in_output', KEPT, DROPPED],
  ['large_number_in_meta', KEPT, DROPPED],
  ['large_number_nobody_reads', KEPT, DROPPED],
  ['output_of_many_types', KEPT, DROPPED],
  ['number_as_required_output', KEPT, DROPPED],
  ['icon_of_odd_theme', DROPPED, NUMBER],
];

/** One such tool makes Codex drop the whole server. */
const always = fatalTools.map(({ name }) => name);
const unreadable = unreadableTools.map(({ name }) => name);
const large = awkwardTools.map(({ name }) => name).filter((name) => name.startsWith('large_number'));
const reasons: Readonly<
  Record<Exclude<CodexRelease, 'previous'>, readonly (readonly [names: readonly string[], reason: RegExp])[]>
> = {
  current: [
    [[...always, 'icon_of_odd_theme'], /Unexpected response type/u],
    // Which of its two timers fires first is a matter of microseconds.
    [unreadable, /timed out awaiting tools\/list|tools\/list pagination timed out/u],
  ],
  old: [
    [always, /Unexpected response type/u],
    [['type_list_at_top', 'output_of_many_types', 'number_as_required_output'], /expected a (?:string|sequence)/u],
    [[...unreadable, ...large], /Transport closed/u],
  ],
};

describe.each(codexReleases('current', 'old'))('the %s Codex, connected directly', (release) => {
  test('loses whole servers because of one tool, tools because of one property, and descriptions of others', async () => {
    const fatal = reasons[release].flatMap(([names, reason]) => names.map((name) => [name, reason] as const));
    const lost = fatal.map(([name]) => [
      name,
      { ...awkwardServer(name, 'integer'), required: false, startup_timeout_sec: MAX_WAIT_SEC },
    ]);
    const harmless = awkwardTools.map(({ name }) => name).filter((name) => !fatal.some(([other]) => other === name));
    await using model = await openModel();
    const mcpServers: Record<string, TomlTable> = {
      ...Object.fromEntries(lost),
      odd: { ...awkwardServer(...harmless) },
    };
    await using home = await createCodexHome({ modelUrl: model.url, model: 'a-name', release, mcpServers });
    await using server = await openAppServer({ home });
    const threadId = await startThread(server, { cwd: home.workDir });
    await runTurn(server, threadId, [{ message: 'done' }]);

    const names = fatal.map(([name]) => name);
    expect(await failures(server, release, names)).toEqual(
      fatal.map(([name, reason]) => [name, expect.stringMatching(reason)]),
    );
    const [request] = model.requests;
    const shown = new Map(request && shownTools(request).map((tool) => [rawNameOf(tool), tool.input]));
    expect(awkwardTools.map((tool) => [tool.name, shownSchemaOf(tool, shown.get(tool.name))])).toEqual(
      table.map(([name, current, old]) => [name, release === 'current' ? current : old]),
    );
  });
});

test.each(toolSurfaces)(
  'on the $kind surface a tool that Codex dropped cannot be called',
  async ({ release, model: name }) => {
    await using model = await openModel();
    const odd = { ...awkwardServer('integer', 'tuple_items') };
    await using home = await createCodexHome({ modelUrl: model.url, model: name, release, mcpServers: { odd } });
    await using server = await openAppServer({ home });
    const threadId = await startThread(server, { cwd: home.workDir });
    const call = (tool: string) =>
      runTurn(server, threadId, [{ mcp: { server: 'odd', tool, arguments: { value: 1 } } }, { message: 'done' }]);
    expect(await call('integer')).toMatchObject({ status: 'completed' });
    const turn = await call('tuple_items');

    const last = model.requests.at(-1);
    const reported = [...(last === undefined ? [] : toolOutputs(last)), JSON.stringify(turn)].join('\n');
    expect(reported).toMatch(/mcp__odd__tuple_items is not a function|no tool .*tuple_items/u);
  },
);

/** The servers that failed and the reasons, in the order of the table. */
async function failures(
  server: AppServer,
  release: CodexRelease,
  names: readonly string[],
): Promise<readonly (readonly [string, unknown])[]> {
  const reasonOf = async (name: string) => {
    const { params } = await server.waitFor(
      'mcpServer/startupStatus/updated',
      (status) => status['name'] === name && status['status'] !== 'starting',
    );
    return [name, params['error']] as const;
  };
  if (release === 'current') return Promise.all(names.map(reasonOf));
  const { params } = await server.waitFor('codex/event/mcp_startup_complete');
  const failed = objectsOf(isObject(params['msg']) ? params['msg']['failed'] : undefined);
  return names.map((name) => [name, failed.find((failure) => failure['server'] === name)?.['error']]);
}

/** For most tools, only the awkward property matters. For the others, the whole schema does. */
function shownSchemaOf(tool: { readonly inputSchema?: unknown }, shown: unknown): unknown {
  if (!isObject(shown)) return DROPPED;
  const reported = propertyOf(shown) ?? shown;
  const original = propertyOf(tool.inputSchema) ?? tool.inputSchema;
  return JSON.stringify(reported) === JSON.stringify(original) ? KEPT : reported;
}

function propertyOf(schema: unknown): unknown {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? (properties['value'] ?? properties['property_31']) : undefined;
}
