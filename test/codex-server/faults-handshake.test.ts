import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openProcesses } from '../../src/base/process/processes.ts';
import { openConnection } from '../../src/codex/engines/app-server/connection.ts';
import { trackProcesses } from '../processes.ts';

const processes = trackProcesses();
const SILENT = fileURLToPath(new URL('fixtures/never-responds.mjs', import.meta.url));
const RECEIVER = { notification: () => undefined, request: () => undefined, crashed: () => undefined };

test('a Codex that does not answer initialize times out and is stopped', async () => {
  const env = processes.env();
  const own = openProcesses({ env });
  const options = {
    processes: own,
    program: { command: SILENT, args: [], env, depth: 1 },
    cwd: import.meta.dirname,
    optOut: [],
    log: { debug: () => undefined },
    handshakeTimeoutMs: 200,
  };

  await expect(openConnection(options, RECEIVER)).rejects.toMatchObject({
    code: 'TIMED_OUT',
    message: expect.stringContaining('initialize'),
  });

  expect(processes.alive().filter(({ command }) => command.includes('never-responds'))).toEqual([]);
  await own.close();
});
