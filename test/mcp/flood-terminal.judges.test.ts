import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { ownServer, typeOnTerminal } from './call-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

const MIB = 1024 * 1024;

/** Each returns three megabytes: the tool in one part, the others in two. */
const FLOODS = `
  const much = 'x'.repeat(${1.5 * MIB});
  serve({
    capabilities: { tools: {}, resources: {}, prompts: {} },
    tools: { big: { call: () => text(much + much) } },
    methods: {
      'resources/list': () => ({ resources: [{ uri: 'mem://big', name: 'big' }] }),
      'resources/read': () => ({ contents: [{ uri: 'mem://1', text: much }, { uri: 'mem://2', text: much }] }),
      'prompts/list': () => ({ prompts: [{ name: 'big' }] }),
      'prompts/get': () => ({
        messages: [much, much].map((said) => ({ role: 'user', content: { type: 'text', text: said } })),
      }),
    },
  });
`;

test.each([
  ['call', ['call', 'flood.big']],
  ['resources read', ['resources', 'read', 'flood', 'mem://big']],
  ['prompts get', ['prompts', 'get', 'flood.big']],
])('mcp %s stops after a megabyte on a terminal, and says how to see the rest', async (_, args) => {
  const testbed = newTestbed();
  configure(testbed, { flood: ownServer(testbed, FLOODS) });
  const { status, shown } = await typeOnTerminal(testbed, processes, { args });
  const [text = '', marker] = shown.trimEnd().split('[… ');
  expect({ status, marker }).toEqual({ status: 0, marker: '2.0 MiB more: use --json or redirect to see all]' });
  expect(text.match(/x/g)?.length).toBeGreaterThan(MIB - 100);
  expect(text.match(/x/g)?.length).toBeLessThanOrEqual(MIB);
  expect((await testbed.mcp(...args)).stdout.match(/x/g)?.length).toBe(3 * MIB);
});
