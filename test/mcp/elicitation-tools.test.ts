import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { ownServer } from './call-world.ts';
import { configure } from './test-report.ts';
import { useGateways } from './via-gateway-world.ts';
import { useWorlds, type World } from './world.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const gateways = useGateways(processes);

/** Offers a tool only to clients that support elicitation, and sends a question while it lists. */
const PARTICULAR = `
  const tools = { plain: { call: () => text('plain') } };
  serve({
    tools,
    methods: {
      initialize: ({ params }) => {
        note(JSON.stringify(params.capabilities));
        if (params.capabilities.elicitation) tools.ask = { call: () => text('asked') };
        return {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'particular', version: '1' },
        };
      },
      'tools/list': async ({ peer }) => {
        const { result, error } = await peer.request('elicitation/create', {
          message: 'May I?',
          requestedSchema: { type: 'object', properties: {} },
        });
        note(JSON.stringify(result ?? error.code));
        return { tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) };
      },
    },
  });
`;

function particular(): World {
  const world = newWorld();
  return configure(world, { one: ownServer(world, PARTICULAR) });
}

describe('a tool that requires elicitation', () => {
  test('is listed, and listing asks the user nothing', async () => {
    const world = particular();
    expect(await world.mcp('tools')).toEqual({ status: 0, stdout: 'one.plain()\none.ask()\n', stderr: '' });
    expect(world.read('noted').split('\n')).toEqual([
      '{"elicitation":{"form":{},"url":{}}}',
      '{"action":"decline"}',
      '',
    ]);
  });

  test('can be shown', async () => {
    expect(await particular().mcp('tool', 'one.ask')).toMatchObject({ status: 0, stderr: '' });
  });

  test('does not exist without a terminal, and the error says so', async () => {
    const { status, stderr } = await particular().mcp('call', 'one.ask');
    expect([status, stderr]).toEqual([
      5,
      expect.stringContaining('Some tools are offered only if the user can be prompted: try it on a terminal.'),
    ]);
  });

  test.each([[['call', 'one.ask']], [['tool', 'one.ask']]])(
    'does not exist through a gateway whose client has no elicitation: mcp %j says so, with a remedy',
    async (args) => {
      const world = particular();
      const { pid } = await gateways.start(world);
      const { status, stderr } = await world.mcp(...args);
      const advice = `The server may not offer this tool to the client of the running gateway (process id ${pid}): try --direct.`;
      expect([status, stderr]).toEqual([5, expect.stringContaining(advice)]);
    },
  );
});
