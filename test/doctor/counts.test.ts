import { expect } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { GLOBAL, ownConfig, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';

const newTestbed = useTestbeds(trackProcesses());

verifies(
  'doctor:counts:agree',
  'mcp test --all, gateway --check and doctor count the same servers and tools',
  async () => {
    const testbed = newTestbed();
    testbed.write(
      GLOBAL,
      ownConfig({
        good: fixture('well-behaved'),
        filtered: { ...fixture('well-behaved'), disabled_tools: ['echo'] },
        junk: fixture('prints-junk'),
        odd: fixture('odd-tools'),
        dead: fixture('dies-at-start'),
        degraded: fixture('fails-at-list', '1000'),
        gone: { command: 'no-such-program' },
        invalid: { url: 5 },
        off: { command: 'x', enabled: false },
      }),
    );
    testbed.write('project/.mcp.json', { mcpServers: { shy: fixture('well-behaved') } });
    const [tested, checked, examined] = await Promise.all(
      [
        ['mcp', 'test', '--all', '--json'],
        ['gateway', '--check', '--json'],
        ['doctor', '--json'],
      ].map((args) => testbed.run(args)),
    );
    const counts = { servers: 10, working: 4, failing: 4, untrusted: 1, disabled: 1, tools: expect.any(Number) };
    const { states: _, ...gateway } = JSON.parse(checked?.stdout ?? '').totals;
    expect(gateway).toEqual(counts);
    expect(JSON.parse(tested?.stdout ?? '').totals).toEqual(gateway);
    expect(JSON.parse(examined?.stdout ?? '').servers).toEqual(gateway);
  },
);
