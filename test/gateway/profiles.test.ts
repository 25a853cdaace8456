import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type InitializeOptions, type TestClient } from './harness.ts';
import { answered, serverFromFile, testFolders } from './tools-from-file.ts';

const newFolder = testFolders();
const { openGateway, openSingle } = gatewayHarness();

const named = (name: string, version: string): InitializeOptions => ({ clientInfo: { name, version } });
const TODAY = named('codex-mcp-client', '0.166.0');
const OLD = named('codex-mcp-client', '0.92.0');
const LONG_NAME = 'a_tool_whose_name_is_rather_long_but_not_too_long';

const definition = {
  name: LONG_NAME,
  title: 'Kept',
  description: 'Counts',
  inputSchema: {
    type: 'object',
    properties: { count: { type: 'integer', minimum: 1, maximum: 10, default: 5 }, free: { description: 'Anything' } },
  },
  annotations: { readOnlyHint: true },
};

function server() {
  const own = serverFromFile(newFolder());
  own.offer({ tools: [definition] });
  return own;
}

async function onlyTool(client: TestClient) {
  const { result } = await client.request('tools/list');
  return result.tools[0];
}

describe('each client gets the tools in the form it needs', () => {
  test('a client other than Codex gets what the server wrote', async () => {
    const client = await openGateway({ one: server() }).connect();
    expect(await onlyTool(client)).toEqual({ ...definition, name: `one__${LONG_NAME}` });
  });

  test('the current Codex gets a type everywhere, and a description of what it would strip', async () => {
    const client = await openGateway({ one: server() }).connect(TODAY);
    const tool = await onlyTool(client);
    expect(tool).toMatchObject({ name: `one__${LONG_NAME}`, title: 'Kept', annotations: { readOnlyHint: true } });
    const { count, free } = tool.inputSchema.properties;
    expect(count).toMatchObject({ type: 'integer', description: expect.stringMatching(/1.*10.*5/) });
    expect(free).toMatchObject({ type: expect.arrayContaining(['string', 'object']), description: 'Anything' });
  });

  verifies(
    ['gateway:names:length', 'schema:scope:definitions-only'],
    'an old Codex: the rules of the first wrapper, and names of at most 40 characters; arguments stay unchanged',
    async () => {
      const client = await openGateway({ one: server() }).connect(OLD);
      const tool = await onlyTool(client);
      expect(tool.name).toMatch(/^one__a_tool_.*_[0-9a-f]{8}$/);
      expect(tool.name.length).toBeLessThanOrEqual(40);
      expect(tool.inputSchema.properties).toMatchObject({ count: { type: 'number' }, free: { type: 'string' } });
      const { result } = await client.call(tool.name, { count: 3, free: [1] });
      expect(answered({ result })).toMatchObject({ tool: LONG_NAME, arguments: { count: 3, free: [1] } });
    },
  );

  verifies(
    ['schema:scope:per-client', 'schema:scope:profile-by-client'],
    'clients of the same gateway: each in its own form',
    async () => {
      const { connect } = openGateway({ one: server() });
      const [today, old, other] = [await connect(TODAY), await connect(OLD), await connect()];
      const types = [];
      for (const client of [today, old, other]) types.push((await onlyTool(client)).inputSchema.properties.count.type);
      expect(types).toEqual(['integer', 'number', 'integer']);
      expect((await onlyTool(today)).inputSchema.properties.free.type).toContain('object');
      expect((await onlyTool(other)).inputSchema).toEqual(definition.inputSchema);
      const unknown = await connect(named('codex-mcp-client', 'unknown'));
      expect((await onlyTool(unknown)).inputSchema.properties.count.type).toBe('number');
    },
  );

  test('the profile on the command line overrides the one of the client', async () => {
    const client = await openGateway({ one: server() }, { profile: 'none' }).connect(OLD);
    expect(await onlyTool(client)).toEqual({ ...definition, name: `one__${LONG_NAME}` });
    const plain = await openGateway({ one: server() }, { profile: 'codex-legacy' }).connect();
    expect((await onlyTool(plain)).inputSchema.properties.count.type).toBe('number');
  });
});

test.each([
  ['the current version', TODAY],
  ['an old version', OLD],
])('hostile schemas are small and complete for Codex of %s', async (_, hello) => {
  const { connect } = openGateway({ bombs: fixture('schema-bombs'), good: fixture('well-behaved') });
  const client = await connect(hello);
  const { result } = await client.request('tools/list');
  const tools: { name: string; inputSchema: { type: string } }[] = result.tools;
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['bombs__good', 'bombs__cyclic', 'good__echo']));
  expect(tools.every(({ inputSchema }) => inputSchema.type === 'object')).toBe(true);
  if (hello === TODAY)
    expect(tools.filter(({ inputSchema }) => JSON.stringify(inputSchema).length > 5_000)).toEqual([]);
  expect((await client.call('bombs__cyclic')).result.content[0].text).toBe('cyclic');
});

describe('with a single server', () => {
  test('only the schemas are rewritten, and only for Codex', async () => {
    const { connect } = openSingle(server());
    expect(await onlyTool(await connect())).toEqual(definition);
  });

  test('Codex gets its schemas under unchanged names', async () => {
    const client = await openSingle(server()).connect(TODAY);
    const tool = await onlyTool(client);
    expect(tool.name).toBe(LONG_NAME);
    expect(tool.inputSchema.properties.free.type).toContain('object');
  });

  test('a tool without a schema, which would make Codex drop the server, is given one', async () => {
    const own = serverFromFile(newFolder());
    own.offer({
      tools: [
        { name: 'bare' },
        { name: 'listed', inputSchema: [] },
        7,
        { name: 'well', inputSchema: { type: 'object' } },
      ],
    });
    const client = await openSingle(own).connect(TODAY);
    const { result } = await client.request('tools/list');
    expect(
      result.tools.map(({ name, inputSchema }: { name: string; inputSchema: { type: string } }) => [
        name,
        inputSchema.type,
      ]),
    ).toEqual([
      ['bare', 'object'],
      ['listed', 'object'],
      ['well', 'object'],
    ]);
  });
});
