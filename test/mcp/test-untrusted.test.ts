import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const newTestbed = useTestbeds(trackProcesses());

test('mcp test --all names the untrusted servers that it does not test', async () => {
  const testbed = newTestbed();
  testbed.write('project/.mcp.json', { mcpServers: { shady: fixture('well-behaved') } });
  const reason = /untrusted: run switchboard trust \S+project/;
  const alone = await testbed.mcp('test', '--all');
  expect(alone).toMatchObject({ status: 9, stdout: '' });
  expect(alone.stderr).toMatch(new RegExp(`^Not tested: shady \\(${reason.source}\\)\n$`));
  configure(testbed, { good: fixture('well-behaved') });
  const asText = await testbed.mcp('test', '--all');
  expect([asText.status, asText.stdout]).toEqual([0, expect.not.stringContaining('shady')]);
  expect(asText.stderr).toMatch(new RegExp(`^Not tested: shady \\(${reason.source}\\)\n$`));
  const asJson = await testbed.mcp('test', '--all', '--json');
  expect({ ...asJson, stdout: JSON.parse(asJson.stdout) }).toMatchObject({
    status: 0,
    stdout: {
      servers: [{ id: 'good', ok: true }],
      skipped: [{ server: 'shady', reason: expect.stringMatching(reason) }],
    },
    stderr: '',
  });
});
