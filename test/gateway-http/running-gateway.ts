import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { openTokenStore, type TokenStore } from '../../src/serve/access/token-store.ts';
import { CliProcess } from '../gateway/cli-process.ts';
import { type CommandLine, switchboard } from '../interop/programs.ts';
import { createRawClient, type RawClient } from '../kit-http/raw-client.ts';
import { createProcessTracker, type ProcessTracker } from '../processes.ts';

/** `switchboard gateway --http` as a process, with the tokens of several people. */
export interface RunningGateway {
  readonly port: number;
  readonly process: CliProcess;
  readonly tokens: TokenStore;
  /** Returns the header of a person, whose token is created at the first use. */
  authorizationOf(person: string, view?: string): string;
  /** Writes raw HTTP. Closed when the test ends. */
  raw(): RawClient;
}

interface Options {
  /** The content of the config. May start what the servers need, with the environment of the tracker. */
  readonly config: (processes: ProcessTracker) => object | Promise<object>;
  /** The limit of the process. Default: that of the test. */
  readonly maxOpenFiles?: number;
  /** Runs before the check for leftover processes. */
  readonly close?: () => Promise<void>;
}

/** Starts one gateway for all tests of a file, because attacks must not affect the clients that follow. */
export function useRunningGateway({ config, maxOpenFiles, close }: Options): () => RunningGateway {
  const processes = createProcessTracker();
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
  let running: RunningGateway | undefined;

  beforeAll(async () => {
    const own = join(folder, 'own');
    mkdirSync(own, { mode: 0o700 });
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify(await config(processes)));
    const env = { HOME: folder, SWITCHBOARD_HOME: own, WRAPPER_TOOLS_LIST_TIMEOUT_MS: '25000' };
    const command = switchboard('gateway', '--http', '0', '--config', file);
    const started = new CliProcess(withOpenFiles(command, maxOpenFiles), processes, env, folder);
    const port = await vi.waitFor(() => {
      const [, found] = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(started.stderr) ?? [];
      if (found === undefined) throw new Error(started.stderr);
      return Number(found);
    }, WITHIN);
    const tokens = openTokenStore({ cwd: folder, home: folder, env, platform: process.platform });
    running = {
      port,
      process: started,
      tokens,
      authorizationOf: tokenFactory(tokens),
      raw: () => createRawClient(port),
    };
  });

  afterAll(async () => {
    running?.process.kill('SIGTERM');
    await running?.process.exited;
    await close?.();
    await processes.assertAllGone({ withinMs: 20_000 });
    rmSync(folder, { recursive: true, force: true });
  });

  return () => {
    if (running === undefined) throw new Error('The gateway did not start.');
    return running;
  };
}

const WITHIN = { timeout: 40_000, interval: 50 };

function withOpenFiles({ command, args }: CommandLine, maxOpenFiles: number | undefined): CommandLine {
  if (maxOpenFiles === undefined) return { command, args };
  return { command: 'sh', args: ['-c', `ulimit -n ${maxOpenFiles} && exec "$0" "$@"`, command, ...args] };
}

function tokenFactory(tokens: TokenStore): RunningGateway['authorizationOf'] {
  const known = new Map<string, string>();
  return (name, view) => {
    const options = { role: 'use', view, expiresAt: undefined, mayNameFolders: false } as const;
    const header = known.get(name) ?? `Bearer ${tokens.create({ name, ...options }).token}`;
    known.set(name, header);
    return header;
  };
}
