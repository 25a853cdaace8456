import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runOnTerminal } from '../../scripts/screens/pty.mjs';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import type { Testbed } from '../mcp/testbed.ts';
import type { ProcessTracker } from '../processes.ts';

export const CURSOR = '.cursor/mcp.json';
export const WINDSURF = '.codeium/windsurf/mcp_config.json';
export const JOURNAL = 'own/setup.json';
export const SECRET = 'cursor-inline-s3cret';

const behaved = fixture('well-behaved');

/** The config of Cursor: two servers, one of them with a secret. */
export const CURSOR_TEXT = `{
  // Mine
  "mcpServers": {
    "my adder": ${JSON.stringify(behaved)},
    "reports": ${JSON.stringify({ ...fixture('reports-environment'), env: { SERVICE_TOKEN: SECRET } })},
  },
}
`;

/** The config of Windsurf: a server that Cursor has too, under another name. */
export const WINDSURF_TEXT = `${JSON.stringify({ mcpServers: { adder: behaved } })}\n`;

/** Gives a testbed two clients with two different servers. */
export function withTwoClients(testbed: Testbed): Testbed {
  testbed.write(CURSOR, CURSOR_TEXT);
  testbed.write(WINDSURF, WINDSURF_TEXT);
  return testbed;
}

/** Returns the content of every file below the folder of a testbed, by path. */
export function filesOf({ folder }: Pick<Testbed, 'folder'>): Readonly<Record<string, string>> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** A text to wait for, and what to type then. */
export type Turn = readonly [wait: RegExp, type: string];

/** Runs `switchboard <args>` in the project of a testbed on a terminal. */
export async function onTerminal(
  testbed: Testbed,
  processes: ProcessTracker,
  {
    args,
    turns,
    env = {},
  }: {
    readonly args: readonly string[];
    readonly turns: readonly Turn[];
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<{ readonly status: number; readonly shown: string }> {
  const { command, args: all } = switchboard(...args);
  const { status, text } = await runOnTerminal([command, ...all], {
    cwd: testbed.path('project'),
    env: processes.env({ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own'), TERM: 'dumb', ...env }),
    columns: 200,
    rows: 50,
    steps: turns.map(([wait, type]) => ({ wait, type })),
    withinMs: 55_000,
  });
  return { status, shown: text.replaceAll('\r\n', '\n') };
}

export const ENTER = '\r';
