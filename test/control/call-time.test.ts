import { expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { fixture } from '../fixtures/paths.ts';
import { configure } from '../mcp/test-report.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { addressOf, useGateways } from '../mcp/via-gateway-testbed.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const gateways = useGateways(processes);
const LONG_TIMEOUT = { timeoutMs: 30_000 };

test('the time that a user takes to answer does not count as call time', async () => {
  const harness = configure(newTestbed(), { one: fixture('requests-elicitation') });
  const gateway = await gateways.start(harness, { capabilities: { elicitation: { form: {} } } });
  await gateway.request('tools/list');
  const id = gateway.post('tools/call', { name: 'one__ask', arguments: {} });
  const question = await gateway.waitFor(({ method }) => method === 'elicitation/create');
  gateway.send({ id: question.id, result: { action: 'accept', content: { name: 'Ada' } } });
  expect(await gateway.answer(id)).toMatchObject({ result: { content: [{ text: expect.stringContaining('Ada') }] } });
  const { servers } = (await sendControlRequest(
    await addressOf(gateway, harness),
    'mcp.list',
    undefined,
    LONG_TIMEOUT,
  )) as RunningStatus;
  expect(servers).toMatchObject([{ id: 'one', calls: 1 }]);
  expect(servers[0]?.p50Ms).toBeUndefined();
});
