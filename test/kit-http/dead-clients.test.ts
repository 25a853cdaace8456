import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { openTestFront } from './front.ts';

const processes = trackProcesses();
const CLIENT = join(import.meta.dirname, 'fixtures/listening-client.mjs');

verifies(['http:clients:dead'], 'a client that is killed loses its session, its stream and its call', async () => {
  const { url, front, waiting } = await openTestFront({ limits: { heartbeatMs: 50, sessionIdleMs: 300 } });
  const client = spawn(process.execPath, [CLIENT, url], { env: processes.env(), stdio: ['ignore', 'pipe', 'inherit'] });
  await once(client.stdout, 'data');
  await expect.poll(() => waiting.length).toBe(1);
  await expect.poll(() => front.counts).toMatchObject({ sessions: 1, requests: 1, streams: expect.any(Number) });
  client.kill('SIGKILL');
  await once(client, 'exit');
  await expect.poll(() => front.counts).toMatchObject({ sessions: 0, requests: 0, streams: 0 });
  await expect.poll(() => waiting[0]?.signal.aborted).toBe(true);
});
