import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openProcesses } from '../../src/base/process/processes.ts';
import type { EngineEvent } from '../../src/codex/engine.ts';
import { AppServerEngine } from '../../src/codex/engines/app-server/engine.ts';
import { findCodex } from '../codex/codex-binary.ts';
import { createCodexHome } from '../codex/home.ts';
import { openModel } from '../codex/model.ts';
import { script } from '../codex/script.ts';
import { SILENT_LISTENER } from '../contracts/engine-in-memory.ts';
import { trackProcesses } from '../processes.ts';
import { eventually } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });

const tracked = trackProcesses();
/** Codex unloads a session ten seconds after it was released, and checks for such sessions periodically. */
const UNLOADED_MS = 14_000;

test('does not kill a command that outlives its turn in an idle session, and reports its end', async () => {
  const model = await openModel();
  await using home = await createCodexHome({ modelUrl: model.url });
  const env = tracked.env({ CODEX_HOME: home.codexDir, HOME: home.rootDir });
  const processes = openProcesses({ env });
  const events: EngineEvent[] = [];
  const engine = new AppServerEngine(
    {
      processes,
      program: async () => ({ ...findCodex(), env, depth: 1 }),
      cwd: home.workDir,
      optOut: [],
      log: { debug: () => {}, warn: () => {} },
      idleMs: 200,
    },
    { ...SILENT_LISTENER, event: (_, event) => void events.push(event) },
  );
  try {
    const shell = 'touch begun; while [ ! -e stop ]; do sleep 0.2; done; touch ended';
    const text = script([{ shell, options: { yield_time_ms: 250 } }, { message: 'left running' }]);
    const settings = { cwd: home.workDir, sandbox: 'danger-full-access' } as const;
    await engine.start({ settings, turn: {}, input: { text, images: [] }, onTurnReady: () => {} });
    await eventually(() => events.some(({ kind }) => kind === 'turn-ended'));
    await eventually(() => existsSync(join(home.workDir, 'begun')));
    await delay(UNLOADED_MS);
    expect(existsSync(join(home.workDir, 'ended'))).toBe(false);
    await writeFile(join(home.workDir, 'stop'), '');
    await eventually(() => existsSync(join(home.workDir, 'ended')));
    await eventually(() =>
      events.some(
        (event) =>
          event.kind === 'item' && event.item.type === 'command_execution' && event.item.status === 'completed',
      ),
    );
  } finally {
    await engine.close();
    await processes.close();
    await model.close();
  }
});
