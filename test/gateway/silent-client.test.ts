import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { configure } from '../mcp/test-report.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';

const newTestbed = useTestbeds(trackProcesses());
const HINT = 'Switchboard serves MCP on stdin and stdout, and no client spoke. For help: switchboard --help';

test.each([[[]], [['gateway']]])('%j says on stderr how to get help if stdin ends before any message', async (args) => {
  const testbed = configure(newTestbed(), { one: fixture('well-behaved') });
  const { status, stdout, stderr } = await testbed.run(args);
  expect([status, stdout, stderr.split('\n')]).toEqual([0, '', expect.arrayContaining([HINT])]);
});

test('says nothing of the kind to a client that has sent a message', async () => {
  const testbed = configure(newTestbed(), { one: fixture('well-behaved') });
  const { stderr } = await testbed.run([], { stdin: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n' });
  expect(stderr).not.toContain(HINT);
});
