import { expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { ownServer, typeOnTerminal } from './call-testbed.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);

const CTRL_C = '\u0003';
const SLOW = `process.stderr.write('Fetched 3 of 9\\n'); serve({ methods: { initialize: () => undefined } });`;

test.each([
  [['test', 'slow'], /initialize +Interrupted before it answered\.\s+its stderr: Fetched 3 of 9/],
  [['call', 'slow.echo'], /Interrupted while slow was starting\. Its last stderr line: Fetched 3\s+of 9/],
])('%j shows the time, the limit and stderr, and Ctrl-C what is known so far', async (args, known) => {
  const testbed = newTestbed();
  configure(testbed, { slow: ownServer(testbed, SLOW) });
  const { status, shown } = await typeOnTerminal(testbed, processes, {
    args,
    // Whatever the first second that it shows: a busy machine skips some.
    turns: [[' s of 60 s (see --timeout): Fetched 3 of 9', CTRL_C]],
  });
  expect([status, shown]).toEqual([130, expect.stringMatching(known)]);
});
