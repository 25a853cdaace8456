import { expect, test } from 'vitest';
import { sendControlRequest } from '../../src/control/socket/control-request.ts';
import type { RunningStatus } from '../../src/control/status/running-status.ts';
import { fixture } from '../fixtures/paths.ts';
import { configure } from '../mcp/test-report.ts';
import { addressOf, useGateways } from '../mcp/via-gateway-world.ts';
import { useWorlds } from '../mcp/world.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const gateways = useGateways(processes);
const PATIENT = { timeoutMs: 30_000 };

test('the time that a user takes to answer does not count as call time', async () => {
  const world = configure(newWorld(), { one: fixture('requests-elicitation') });
  const gateway = await gateways.start(world, { capabilities: { elicitation: { form: {} } } });
  await gateway.request('tools/list');
  const id = gateway.post('tools/call', { name: 'one__ask', arguments: {} });
  const question = await gateway.waitFor(({ method }) => method === 'elicitation/create');
  gateway.send({ id: question.id, result: { action: 'accept', content: { name: 'Ada' } } });
  expect(await gateway.answer(id)).toMatchObject({ result: { content: [{ text: expect.stringContaining('Ada') }] } });
  const { servers } = (await sendControlRequest(
    await addressOf(gateway, world),
    'mcp.list',
    undefined,
    PATIENT,
  )) as RunningStatus;
  expect(servers).toMatchObject([{ id: 'one', calls: 1 }]);
  expect(servers[0]?.p50Ms).toBeUndefined();
});
