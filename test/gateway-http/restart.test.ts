import { expect, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { testHomes } from '../gateway/run-cli.ts';
import { isAlive, trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { openHttpProcess } from './http-process.ts';
import { RawClient } from './raw-client.ts';

const processes = trackProcesses();
const newHome = testHomes(processes);
const servers = { one: fixture('well-behaved') };
const WITHIN = { timeout: 40_000, interval: 50 };

verifies(
  'gateway:http:planned-restart',
  'a planned restart loses no request of clients that keep calling, and no session',
  async () => {
    const opened = await openHttpProcess({ home: newHome(), processes, servers });
    const clients = [new RawClient(opened.url, 'legacy'), new RawClient(opened.url, 'modern')];
    await clients[0]?.initialize();
    let isOver = false;
    const answers = new Map<string, number>();
    const lanes = clients.flatMap((client) =>
      Array.from({ length: 4 }, async (_, lane) => {
        for (let round = 0; !isOver; round++) {
          const text = `${client.era}-${lane}-${round}`;
          const { result } = await client.call('one__echo', { text });
          expect(result?.content).toEqual([{ type: 'text', text }]);
          answers.set(client.era, (answers.get(client.era) ?? 0) + 1);
        }
      }),
    );
    const answered = async () => {
      const before = new Map(answers);
      await vi.waitFor(() => {
        for (const era of ['legacy', 'modern'])
          expect(answers.get(era) ?? 0).toBeGreaterThan((before.get(era) ?? 0) + 20);
      }, WITHIN);
    };
    const pids = [opened.gateway.pid];
    try {
      for (let restart = 0; restart < 3; restart++) {
        await answered();
        pids.push(await opened.restart());
      }
      await answered();
    } finally {
      isOver = true;
    }
    await Promise.all(lanes);
    expect(new Set(pids).size).toBe(4);
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([true, false, false, true]), WITHIN);
    expect(await opened.stop()).toBe(143);
  },
);
