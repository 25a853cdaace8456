import { afterEach, expect } from 'vitest';
import type { ProcessTracker } from '../processes.ts';
import type { CommandName } from './matrix-commands.ts';
import { useGateways } from './matrix-gateway.ts';
import { type MatrixContext, runInEveryMode } from './matrix-modes.ts';
import type { Ends, ServerRow } from './matrix-servers.ts';
import { configure } from './test-report.ts';
import { useWorlds } from './world.ts';

export interface MatrixRow {
  /** Runs every command of the row, each with its own connection. */
  direct(row: ServerRow): Promise<void>;
  /** The same while a gateway runs the server, and also the commands that show its status. */
  viaGateway(row: ServerRow): Promise<void>;
}

export function useMatrixRow(processes: ProcessTracker): MatrixRow {
  const newWorld = useWorlds(processes);
  const openGateway = useGateways(processes);
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  const open = async (row: ServerRow): Promise<MatrixContext> => {
    const world = newWorld();
    const { entry, close } = await row.open(world, processes);
    if (close !== undefined) closers.push(close);
    return { world: configure(world, { [row.subject.id]: entry }), processes };
  };
  return {
    async direct(row) {
      await expectEnds({ ...endsWell(row.isShown === true ? STATIC : []), ...row.ends }, row, await open(row));
    },
    async viaGateway(row) {
      const surroundings = await open(row);
      await openGateway(surroundings.world);
      const asked = Object.entries(row.ends).filter(([name]) => !ALWAYS_DIRECT.includes(name));
      await expectEnds(
        { ...endsWell(isAskedForAll(row) ? LIVE : []), ...Object.fromEntries(asked) },
        row,
        surroundings,
      );
    },
  };
}

/** Commands that succeed even if the server they show has failed. */
export const STATIC: readonly CommandName[] = [
  ...(['list', 'get', 'status', 'status one', 'watch', '/mcp', 'bare', 'completion', 'complete'] as const),
];
const LIVE: readonly CommandName[] = ['status', 'status one', 'watch', '/mcp', 'bare', 'complete'];
/** `test` always opens its own connection. Similar commands cover the other two. */
const ALWAYS_DIRECT: readonly string[] = ['test', 'tools that match', 'templates'];

/** A row for a single command looks the same in the status commands as another row of its kind. */
function isAskedForAll({ ends }: ServerRow): boolean {
  return ends.resources !== undefined;
}

function endsWell(names: readonly CommandName[]): Ends {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

async function expectEnds(ends: Ends, { subject }: ServerRow, surroundings: MatrixContext): Promise<void> {
  const names = Object.keys(ends) as CommandName[];
  const expected = Object.fromEntries(Object.entries(ends).map(([name, status]) => [name, String(status)]));
  expect(await runInEveryMode(names, subject, surroundings)).toEqual(expected);
}
