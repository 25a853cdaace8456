import { afterEach, expect } from 'vitest';
import type { ProcessTracker } from '../processes.ts';
import { useWorlds } from './command.ts';
import type { CommandName } from './every-command.ts';
import type { Ends, ServerRow } from './every-server.ts';
import { runEveryWay, type Surroundings } from './every-way.ts';
import { useRunning } from './status-running.ts';
import { configure } from './tested.ts';

export interface EveryRow {
  /** Every command of the row, each with a connection of its own. */
  direct(row: ServerRow, more?: readonly CommandName[]): Promise<void>;
  /** The same while a gateway has the server, and what shows how that is. */
  throughGateway(row: ServerRow): Promise<void>;
  /** Puts the server into a config, alone. */
  open(row: ServerRow): Promise<Surroundings>;
}

export function useEveryRow(processes: ProcessTracker): EveryRow {
  const newWorld = useWorlds(processes);
  const running = useRunning(processes);
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  const open = async (row: ServerRow): Promise<Surroundings> => {
    const world = newWorld();
    const { entry, close } = await row.open(world, processes);
    if (close !== undefined) closers.push(close);
    return { world: configure(world, { [row.subject.id]: entry }), processes };
  };
  return {
    open,
    async direct(row, more = []) {
      await expectEnds({ ...endsWell(more), ...row.ends }, row, await open(row));
    },
    async throughGateway(row) {
      const surroundings = await open(row);
      await running.gateway(surroundings.world);
      await running.until(surroundings.world, ([gateway]) => gateway !== undefined);
      const asked = Object.entries(row.ends).filter(([name]) => !ALWAYS_DIRECT.includes(name));
      await expectEnds({ ...endsWell(LIVE), ...Object.fromEntries(asked) }, row, surroundings);
    },
  };
}

/** What they show of a server is no failure of theirs. */
export const STATIC: readonly CommandName[] = [
  ...(['list', 'get', 'status', 'status one', 'watch', '/mcp', 'bare', 'completion', 'complete'] as const),
];
const LIVE: readonly CommandName[] = ['status', 'status one', 'watch', '/mcp', 'bare', 'complete'];
/** `test` has a connection of its own whatever runs; the others are like those that stay. */
const ALWAYS_DIRECT: readonly string[] = ['test', 'tools that match', 'templates'];

function endsWell(names: readonly CommandName[]): Ends {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

async function expectEnds(ends: Ends, { subject }: ServerRow, surroundings: Surroundings): Promise<void> {
  const names = Object.keys(ends) as CommandName[];
  const expected = Object.fromEntries(Object.entries(ends).map(([name, status]) => [name, String(status)]));
  expect(await runEveryWay(names, subject, surroundings)).toEqual(expected);
}
