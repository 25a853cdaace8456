import { expect, test, vi } from 'vitest';
import { openMemorySessions } from '../../../../test/contracts/sessions-in-memory.ts';
import { AppError } from '../../../base/errors.ts';
import type { HttpClient } from '../../../serve/fronts/http/endpoint.ts';
import { createServer } from '../../../serve/server.ts';
import { type CodexServers, createCodexServers } from './codex-servers.ts';

/** Servers whose sessions need no Codex. `opened` has the token of each, in order. */
function open(idleMs?: number) {
  const opened: (string | undefined)[] = [];
  const made: ReturnType<typeof openMemorySessions>[] = [];
  const servers = createCodexServers({
    ...(idleMs === undefined ? {} : { idleMs }),
    open(tokenId) {
      opened.push(tokenId);
      const memory = openMemorySessions();
      made.push(memory);
      return { server: createServer({ name: 'x', version: '1' }), sessions: memory.sessions };
    },
  });
  return { servers, opened, made };
}

function connect({ endpoint }: CodexServers, tokenId: string, name = tokenId) {
  const principal = { tokenId, name, role: 'use', view: undefined, mayNameFolders: false } as const;
  const client: HttpClient = { principal, era: 'legacy', saveSettings() {} };
  const connection = endpoint.connect(client, { isListening: false, send() {} });
  return () => connection.close(new AppError('CONNECTION_CLOSED', 'left'));
}

test('each token has a server, and the local user one for all local clients', async () => {
  const { servers, opened } = open();
  connect(servers, 'a');
  connect(servers, 'b');
  connect(servers, 'a');
  connect(servers, '0123', 'local');
  connect(servers, 'none', 'anybody');
  expect(opened).toEqual(['a', 'b', undefined]);
  expect(servers.clients()).toHaveLength(5);
  await servers.close();
});

test('a server without clients and turns is closed after a while, and opened again when needed', async () => {
  vi.useFakeTimers();
  try {
    const { servers, opened, made } = open(1_000);
    const [leave, leaveBusy] = [connect(servers, 'idle'), connect(servers, 'busy')];
    const busy = made[1]?.sessions;
    await busy?.start({ cwd: '/' }, {}, { text: 'x', images: [] }, { prompter: undefined });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(made.map(({ engine }) => engine.asked)).toEqual([[], ['start x']]);
    leave();
    leaveBusy();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(made.map(({ engine }) => engine.asked)).toEqual([['close'], ['start x']]);
    connect(servers, 'idle');
    connect(servers, 'busy');
    expect(opened).toEqual(['idle', 'busy', 'idle']);
    await servers.close();
    expect(made.map(({ engine }) => engine.asked.at(-1))).toEqual(['close', 'close', 'close']);
  } finally {
    vi.useRealTimers();
  }
});

test('a revoked token ends its own server only', async () => {
  const { servers, made } = open();
  connect(servers, 'a');
  connect(servers, 'b');
  servers.revoke('a');
  servers.revoke('unknown');
  expect(made.map(({ engine }) => engine.asked)).toEqual([['close'], []]);
  await servers.close();
});
