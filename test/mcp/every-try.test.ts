import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { openHttpFixture } from '../fixtures/http/paths.ts';
import { trackProcesses } from '../processes.ts';
import { type World, useWorlds } from './command.ts';
import { type CommandName, everyCommand, commandRows, type Subject } from './every-command.ts';
import { runEveryWay } from './every-way.ts';
import { hostileServer } from './every-hostile.ts';
import { configure } from './tested.ts';
import { useRunning } from './status-running.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const newWorld = useWorlds(processes);
const things = useRunning(processes);
const asking = (Object.keys(everyCommand) as CommandName[]).filter((n) => commandRows[n]!.asks);
const gw = (Object.keys(everyCommand) as CommandName[]).filter((n) => commandRows[n]!.asks || /status|watch|mcp|bare|complete/.test(n));
const s = (tool: string, more: Partial<Subject> = {}): Subject => ({ id: 's', tool, ...more });
const rows: Record<string, {entry: object | (() => Promise<{url: string, close(): Promise<void>}>), subject: Subject}> = {
  'dies at start': { entry: fixture('dies-at-start'), subject: s('echo') },
  'dies in a call': { entry: fixture('dies-mid-call'), subject: s('die') },
  'hangs at initialize': { entry: fixture('hangs-at-initialize'), subject: s('echo', { patienceSeconds: 1 }) },
  'hangs at list': { entry: fixture('hangs-at-list'), subject: s('echo', { patienceSeconds: 1 }) },
  'hangs in a call': { entry: fixture('hangs-at-call'), subject: s('hang', { patienceSeconds: 2 }) },
  'floods logs': { entry: fixture('floods-stdout'), subject: s('echo', { args: ['text=hi'] }) },
  'floods list_changed': { entry: fixture('floods-list-changed'), subject: s('echo', { args: ['text=hi'] }) },
  'floods progress': { entry: fixture('floods-progress'), subject: s('flood') },
  'answers junk': { entry: fixture('prints-junk'), subject: s('echo', { args: ['text=hi'] }) },
  'malformed string-code': { entry: fixture('malformed-answers'), subject: s('string-code', { patienceSeconds: 2 }) },
  'malformed no-id': { entry: fixture('malformed-answers'), subject: s('no-id', { patienceSeconds: 2 }) },
  'malformed both': { entry: fixture('malformed-answers'), subject: s('result-and-error', { patienceSeconds: 2 }) },
  'half': { entry: fixture('broken-text'), subject: s('in-error', {}) },
  'huge': { entry: fixture('huge-line'), subject: s('huge', { args: ['mib:=50'] }) },
  'endless': { entry: fixture('endless-line'), subject: s('endless', {  }) },
  'hostile': { entry: hostileServer(), subject: s('say', { uri: 'test://x/plain', prompt: 'plain' }) },
  'hostile fail': { entry: hostileServer(), subject: s('fail', { uri: 'test://x/none', prompt: 'plan' }) },
  'hostile refuse': { entry: hostileServer(), subject: s('refuse', { uri: 'test://x/none', prompt: 'plan' }) },
  'unreachable': { entry: { url: 'http://127.0.0.1:9/mcp' }, subject: s('echo') },
  '401': { entry: () => openHttpFixture('answers-401-plain', { env: processes.env() }), subject: s('echo') },
  'sse': { entry: () => openHttpFixture('legacy-sse', { env: processes.env() }), subject: s('echo', {args: ['text=hi']}) },
  'html': { entry: () => openHttpFixture('answers-html', { env: processes.env() }), subject: s('echo', {args: ['text=hi']}) },
};
const only = process.env['ONLY'];
test.each(Object.keys(rows).filter((n) => !only || n.includes(only)))('%s', async (name) => {
  const row = rows[name]!;
  const world = newWorld();
  const web = typeof row.entry === 'function' ? await row.entry() : undefined;
  configure(world, { s: web ? { url: web.url } : row.entry });
  if (process.env['GW']) await things.gateway(world);
  const t = performance.now();
  const got = await runEveryWay(process.env['GW'] ? gw : asking, row.subject, { world, processes });
  process.stdout.write(name + ' ' + JSON.stringify(got, null, 1) + (performance.now() - t) + '\n');
  await web?.close();
});
