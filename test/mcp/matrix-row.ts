import { afterEach, expect } from 'vitest';
import type { ProcessTracker } from '../processes.ts';
import type { CommandName } from './matrix-commands.ts';
import { useGateways } from './matrix-gateway.ts';
import { type MatrixContext, runInEveryMode } from './matrix-modes.ts';
import type { ExitCodes, ServerRow } from './matrix-servers.ts';
import { configure } from './test-report.ts';
import { useTestbeds } from './testbed.ts';

export interface MatrixRow {
  /** Runs every command of the row, each with its own connection. */
  direct(row: ServerRow): Promise<void>;
  /** The same while a gateway runs the server, and also the commands that show its status. */
  viaGateway(row: ServerRow): Promise<void>;
}

export function useMatrixRow(processes: ProcessTracker): MatrixRow {
  const newTestbed = useTestbeds(processes);
  const openGateway = useGateways(processes);
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });
  const open = async (row: ServerRow): Promise<MatrixContext> => {
    const testbed = newTestbed();
    const { entry, close } = await row.open(testbed, processes);
    if (close !== undefined) closers.push(close);
    return { testbed: configure(testbed, { [row.subject.id]: entry }), processes };
  };
  return {
    async direct(row) {
      await expectExitCodes(
        { ...allSucceed(row.isShown === true ? STATIC : []), ...row.exitCodes },
        row,
        await open(row),
      );
    },
    async viaGateway(row) {
      const context = await open(row);
      await openGateway(context.testbed);
      const asked = Object.entries(row.exitCodes).filter(([name]) => !ALWAYS_DIRECT.includes(name));
      await expectExitCodes(
        { ...allSucceed(testsEveryCommand(row) ? LIVE : []), ...Object.fromEntries(asked) },
        row,
        context,
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
function testsEveryCommand({ exitCodes }: ServerRow): boolean {
  return exitCodes.resources !== undefined;
}

function allSucceed(names: readonly CommandName[]): ExitCodes {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

async function expectExitCodes(exitCodes: ExitCodes, { subject }: ServerRow, context: MatrixContext): Promise<void> {
  const names = Object.keys(exitCodes) as CommandName[];
  const expected = Object.fromEntries(Object.entries(exitCodes).map(([name, status]) => [name, String(status)]));
  expect(await runInEveryMode(names, subject, context)).toEqual(expected);
}
