import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { officialServer } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { type World, useWorlds } from './command.ts';
import { type CommandName, everyCommand, type Subject } from './every-command.ts';
import { runEveryWay } from './every-way.ts';
import { configure } from './tested.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const newWorld = useWorlds(processes);
const names = Object.keys(everyCommand) as CommandName[];
const rows: Record<string, {entry: (w: World) => object, subject: Subject}> = {
  everything: { entry: () => officialServer('everything'), subject: { id: 's', tool: 'echo', args: ['message=hi'], uri: 'demo://resource/static/document/features.md', prompt: 'simple-prompt' } },
  filesystem: { entry: (w) => officialServer('filesystem', w.path('project')), subject: { id: 's', tool: 'list_allowed_directories' } },
  memory: { entry: (w) => ({ command: process.execPath, args: [fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'))], env: { MEMORY_FILE_PATH: w.path('memory.jsonl') } }), subject: { id: 's', tool: 'read_graph' } },
};
test.each(Object.keys(rows))('%s', async (name) => {
  const row = rows[name]!;
  const world = newWorld();
  configure(world, { s: row.entry(world) });
  const t = performance.now();
  console.log(name, await runEveryWay(names, row.subject, { world, processes }), performance.now() - t);
});
