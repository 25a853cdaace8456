import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { useWorlds } from './command.ts';
import { type CommandName, everyCommand } from './every-command.ts';
import { runEveryWay } from './every-way.ts';
import { configure } from './tested.ts';

vi.setConfig({ testTimeout: 120_000 });

const processes = trackProcesses();
const newWorld = useWorlds(processes);
const IDS = ['../../x', 'a b', '__proto__', 'constructor', 'toString', '.', 'a\u001b[2J\u202eb'];
const names = Object.keys(everyCommand) as CommandName[];

test.each(IDS)('own %j', async (id) => {
  const world = newWorld();
  const program = `require('node:fs').appendFileSync(${JSON.stringify(world.path('started'))}, 'x')`;
  const entry = { command: process.execPath, args: ['-e', program] };
  configure(world, Object.fromEntries([['one', fixture('well-behaved')], [id, entry]]));
  const got = await runEveryWay(names, { id, tool: 'echo', args: ['text=hi'] }, { world, processes });
  process.stdout.write(`${JSON.stringify(id)} ${JSON.stringify(got, null, 1)} started ${world.exists('started')}\n`);
});
test.each(IDS)('codex %j', async (id) => {
  const world = newWorld();
  const program = `require('node:fs').appendFileSync(${JSON.stringify(world.path('started'))}, 'x')`;
  const entry = { command: process.execPath, args: ['-e', program] };
  world.write('.codex/.mcp.json', { mcpServers: Object.fromEntries([['one', fixture('well-behaved')], [id, entry]]) });
  const got = await runEveryWay(names, { id, tool: 'echo', args: ['text=hi'] }, { world, processes });
  process.stdout.write(`CODEX ${JSON.stringify(id)} ${JSON.stringify(got, null, 1)} started ${world.exists('started')}\n`);
});
