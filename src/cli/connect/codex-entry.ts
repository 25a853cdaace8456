import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAppError } from '../../base/errors.ts';
import { openProcesses } from '../../base/process/processes.ts';
import { type DocumentFormat, valueAt } from '../../clients/connect/format/document-format.ts';
import { GATEWAY_ENTRY } from '../../clients/connect/own-entries.ts';
import type { CommandLine } from '../../clients/connect/targets.ts';
import { isImportedVariable } from '../../clients/import/secret-names.ts';
import { runCodexCommand } from '../../codex/locate/codex-command.ts';
import { type CodexProgram, findCodex } from '../../codex/locate/find-codex.ts';
import { listVariables } from '../../config/entry/variable-uses.ts';
import { nonEmptyVariable } from '../../config/files/folders.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { isObject } from '../../wire/messages.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';

/**
 * Returns the entry that `codex mcp add` writes for a command line. Runs it in an empty, temporary home: in the user's
 * own, it would drop comments beside other servers, and the change could not be shown first. Undefined without Codex,
 * or if this Codex writes no such entry.
 */
export async function askCodexForEntry(
  { command, args }: CommandLine,
  { context, format }: { readonly context: CommandContext; readonly format: DocumentFormat },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const program = await locateCodex(context);
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-codex-'));
  const processes = openProcesses({ env: context.env });
  try {
    await runCodexCommand(
      { ...program, env: { ...program.env, CODEX_HOME: folder } },
      { processes, args: ['mcp', 'add', GATEWAY_ENTRY, '--', command, ...args], cwd: folder },
    );
    const file = join(folder, 'config.toml');
    const content = existsSync(file) ? format.parse(readFileSync(file, 'utf8'), file) : {};
    const entry = valueAt(content, ['mcp_servers', GATEWAY_ENTRY]);
    return isObject(entry) && entry['command'] === command ? entry : undefined;
  } finally {
    await processes.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the names of the variables that Codex must pass on: it starts servers with very few of its own. */
export function variablesForCodex(entries: readonly ServerEntry[], env: CommandContext['env']): readonly string[] {
  const own = OWN_VARIABLES.filter((name) => nonEmptyVariable(env, name) !== undefined);
  const named = entries.flatMap(listVariables).filter((name) => !isImportedVariable(name));
  return [...new Set([...own, ...named])].sort();
}

/** They decide where our files are. */
const OWN_VARIABLES = [
  'SWITCHBOARD_HOME',
  'SWITCHBOARD_CONFIG_PATH',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
];

async function locateCodex(context: CommandContext): Promise<CodexProgram | undefined> {
  try {
    return await findCodex({ ...environmentOf(context), arch: process.arch });
  } catch (error) {
    // Codex may be installed later, or only in the editor.
    if (isAppError(error) && error.code === 'CODEX_MISSING') return undefined;
    throw error;
  }
}
