import { expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayFor } from '../interop/programs.ts';
import { startCodex } from './codex-process.ts';
import { findProcesses } from './find-processes.ts';
import { createCodexHome } from './home.ts';
import { openModel } from './model.ts';
import { shownTools } from './model-tools.ts';
import { script } from './script.ts';

vi.setConfig({ testTimeout: 300_000 });

const END_MS = 30_000;
const MAX_STARTS = 12;

test.each([
  ['hangs', fixture('hangs-at-initialize')],
  ['always exits', fixture('dies-at-start')],
])(
  'without `required`, Codex has the tools of the others from the second start on if one server %s',
  async (_, bad) => {
    using gateway = gatewayFor({ good: fixture('well-behaved'), bad });
    await using model = await openModel();
    // As `codex mcp add gw -- switchboard gateway` writes it, without settings for waiting.
    const { command, args, folder } = gateway;
    const gw = { command, args, env: { SWITCHBOARD_HOME: folder }, required: false };
    await using home = await createCodexHome({ modelUrl: model.url, model: 'a-name', mcpServers: { gw } });
    const toolsOfStart = async () => {
      const asked = model.requests.length;
      const prompt = script([{ message: 'done' }]);
      await using codex = await startCodex({ home, args: ['exec', '--json', '--skip-git-repo-check', prompt] });
      codex.stdin.end();
      codex.stdout.resume();
      await codex.exited;
      // Codex does not wait for the gateway that it stops. Here, the next start comes after it has exited.
      await vi.waitFor(async () => expect(await findProcesses(home.rootDir)).toEqual([]), { timeout: END_MS });
      return model.requests.slice(asked).flatMap(shownTools).length;
    };
    await toolsOfStart();
    // Codex kills a gateway that has not started after about a second, so its catalogs must already be on disk.
    // A busy machine may need more than one start.
    const counts: number[] = [];
    while (counts.at(-1) !== 3 && counts.length < MAX_STARTS) counts.push(await toolsOfStart());
    expect(counts.at(-1)).toBe(3);
  },
);
