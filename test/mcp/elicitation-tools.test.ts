import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { ownServer } from './call-testbed.ts';
import { configure } from './test-report.ts';
import { type Testbed, useTestbeds } from './testbed.ts';
import { useGateways } from './via-gateway-testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);

/** Offers a tool only to clients that support elicitation, and sends a question while it lists. */
const REQUIRES_ELICITATION_SERVER = `
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

function newElicitationTestbed(): Testbed {
  const testbed = newTestbed();
  return configure(testbed, { one: ownServer(testbed, REQUIRES_ELICITATION_SERVER) });
}

describe('a tool that requires elicitation', () => {
  test('is listed, and listing asks the user nothing', async () => {
    const testbed = newElicitationTestbed();
    expect(await testbed.mcp('tools')).toEqual({ status: 0, stdout: 'one.plain()\none.ask()\n', stderr: '' });
    expect(testbed.read('noted').split('\n')).toEqual([
      '{"elicitation":{"form":{},"url":{}}}',
      '{"action":"decline"}',
      '',
    ]);
  });

  test('can be shown', async () => {
    expect(await newElicitationTestbed().mcp('tool', 'one.ask')).toMatchObject({ status: 0, stderr: '' });
  });

  test('does not exist without a terminal, and the error says so', async () => {
    const { status, stderr } = await newElicitationTestbed().mcp('call', 'one.ask');
    expect([status, stderr]).toEqual([
      5,
      expect.stringContaining('Some tools are offered only if the user can be prompted: try it on a terminal.'),
    ]);
  });

  test.each([[['call', 'one.ask']], [['tool', 'one.ask']]])(
    'does not exist through a gateway whose client has no elicitation: mcp %j says so, with a remedy',
    async (args) => {
      const testbed = newElicitationTestbed();
      const { pid } = await gateways.start(testbed);
      const { status, stderr } = await testbed.mcp(...args);
      const advice = `The server may not offer this tool to the client of the running gateway (process id ${pid}): try --direct.`;
      expect([status, stderr]).toEqual([5, expect.stringContaining(advice)]);
    },
  );
});
