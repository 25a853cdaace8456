import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { eventually, openTestbed } from './testbed.ts';

const processes = trackProcesses();
const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const START = { prompt: 'hello', skipGitRepoCheck: true };

verifies(
  ['codex:env:cli-path', 'codex:env:cli-missing'],
  'an invalid CODEX_CLI_PATH is reported with a fix, which works without a restart',
  async () => {
    await using testbed = await openTestbed(processes);
    const { rootDir } = testbed.home;
    const program = join(rootDir, 'my-codex');
    const refusal = async (path: string) => {
      const client = await testbed.serve({ env: { CODEX_CLI_PATH: path } });
      const reported = await client.failure('codex_start', START);
      // Stored sessions are readable without it.
      expect(await client.call('codex_list')).toEqual({ sessions: [] });
      return reported;
    };
    const install = 'Install it with "npm install -g @openai/codex" if there is none.';
    const correct = `Set it to the Codex executable, or unset it to use the codex on PATH. ${install}`;

    expect(await refusal(program)).toBe(`CODEX_CLI_PATH names ${program}, which does not exist. ${correct}`);
    expect(await refusal(rootDir)).toBe(
      `CODEX_CLI_PATH names ${rootDir}, which is a folder: set it to the executable inside it.`,
    );
    expect(await refusal('no-such-codex')).toBe(
      `CODEX_CLI_PATH names no-such-codex, but it is not on PATH. ${correct}`,
    );
    await writeFile(program, '#!/bin/sh\nexec "$REAL_CODEX" "$@"\n', { mode: 0o600 });
    const real = testbed.env()['CODEX_CLI_PATH'] ?? '';
    const client = await testbed.serve({ env: { CODEX_CLI_PATH: program, REAL_CODEX: real } });
    expect(await client.failure('codex_start', START)).toBe(
      `CODEX_CLI_PATH names ${program}, which is not executable: check its permissions.`,
    );
    await chmod(program, 0o700);
    expect(await client.call('codex_start', START)).toMatchObject({ status: 'active' });
  },
);

describe('a Codex that exits at once', () => {
  test('is reported with its stderr, and restarts with a backoff', async () => {
    await using testbed = await openTestbed(processes);
    const counts = join(testbed.home.rootDir, 'starts');
    const env = { CODEX_CLI_PATH: fixture('dies-at-once.mjs'), DIES_AT_ONCE_COUNT: counts };
    const client = await testbed.serve({ env });
    const exitMessage = 'Codex (codex app-server) ended with exit code 3: error: cannot open the state database';

    expect(await client.failure('codex_start', START)).toBe(exitMessage);
    const pause =
      /^Codex exited several times in a row and will be restarted in (\d+) s at the earliest\. Last failure: (.*)$/;
    const [, , last] = await eventually(async () => {
      const found = pause.exec(await client.failure('codex_start', START));
      // The delays grow. This one is long enough for another call.
      return found !== null && Number(found[1]) >= 2 ? found : undefined;
    });
    expect(last).toBe(exitMessage);
    const starts = async () =>
      (await readFile(counts, 'utf8')).split('\n').filter((line) => line === 'app-server').length;
    const before = await starts();
    await Promise.all(Array.from({ length: 5 }, () => client.failure('codex_start', START)));
    expect(await starts()).toBe(before);
    expect(await client.request('ping')).toEqual({});
  });
});

describe('a Codex that never responds', () => {
  for (const end of ['EOF', 'TERM'] as const)
    verifies(
      ['codex:session:hang', 'codex:server:shutdown'],
      `blocks no other call, and does not outlive a server that ends by ${end}`,
      async () => {
        await using testbed = await openTestbed(processes);
        const client = await testbed.serve({ env: { CODEX_CLI_PATH: fixture('never-responds.mjs') } });
        client.begin('tools/call', { name: 'codex_start', arguments: START });
        await eventually(() => processes.alive().some(({ command }) => command.includes('never-responds')));
        expect(await client.failure('codex_interrupt', { sessionId: 'x' })).toMatch(
          /^No turn of session x has run in this server\./,
        );
        expect(await client.failure('codex_start', { ...START, prompt: '' })).toMatch(/^prompt is empty/);

        if (end === 'EOF') client.endInput();
        else client.kill('SIGTERM');

        expect(await client.exited).toEqual({ code: end === 'EOF' ? 0 : 143, signal: null });
        expect(processes.alive()).toEqual([]);
      },
    );
});
