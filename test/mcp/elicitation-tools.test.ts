import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { ownServer } from './call-world.ts';
import { configure } from './test-report.ts';
import { useGateways } from './via-gateway-world.ts';
import { useWorlds, type World } from './world.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const gateways = useGateways(processes);

/** Offers a tool to those alone who say that somebody can be asked, and asks while it lists. */
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

describe('a tool for those alone who can be asked', () => {
  test('is listed, and whoever lists is asked nothing', async () => {
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

  test('is not there where nobody can be asked, and that is said', async () => {
    const { status, stderr } = await particular().mcp('call', 'one.ask');
    expect([status, stderr]).toEqual([
      5,
      expect.stringContaining('Some tools are there only where somebody can be asked: try it on a terminal.'),
    ]);
  });

  test.each([[['call', 'one.ask']], [['tool', 'one.ask']]])(
    'is not there through a gateway whose client cannot be asked: mcp %j says so, and what helps',
    async (args) => {
      const world = particular();
      const { pid } = await gateways.start(world);
      const { status, stderr } = await world.mcp(...args);
      const advice = `The gateway that runs (process id ${pid}) may not be offered it for its client: try --direct.`;
      expect([status, stderr]).toEqual([5, expect.stringContaining(advice)]);
    },
  );
});
