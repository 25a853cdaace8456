import { existsSync } from 'node:fs';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { Environment } from '../../config/files/folders.ts';
import type { Definitions } from '../../config/load-config.ts';
import { serverCommand } from '../../config/next-command.ts';
import { formatLocation } from '../../config/problem.ts';
import type { Origin } from '../../config/server-entry.ts';
import { forgetEntry } from '../../config/trust/trust-project.ts';
import { unknownServer } from '../../config/unknown-server.ts';
import { removeEntry } from '../../config/write/write-entry.ts';
import { type ArgumentRules, parseArguments } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { parseScope, printChange } from './config/change-result.ts';
import { explicitFileWarning, readDefinitions, sourceToChange, withoutExplicitFile } from './config/definitions.ts';
import { definedElsewhereError } from './config/entry-errors.ts';
import { defaultScope } from './config/locate-entry.ts';

const RULES: ArgumentRules = {
  command: 'switchboard mcp remove',
  positionals: ['<id>'],
  requiredPositionals: 1,
  options: ['--scope'],
  flags: ['--dry-run'],
};

/** Runs `switchboard mcp remove`: removes an entry from one config only. */
export async function mcpRemove(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const [id = ''] = parsed.positionals;
  const environment = environmentOf(context);
  const definitions = await readDefinitions(withoutExplicitFile(environment));
  const scope = parseScope(parsed, RULES) ?? defaultScope(id, definitions, environment);
  const source = sourceToChange(environment, scope, id);
  const isDryRun = parsed.has('--dry-run');
  const removed = removeEntry(source, id, { isDryRun });
  if (removed === undefined) {
    const found = definitions.candidates.find(({ entry }) => entry.id === id);
    throw found === undefined
      ? unknownServer(id, definitions)
      : definedElsewhereError(id, { command: 'remove', scope, found });
  }
  if (source.needsTrust && !isDryRun) forgetEntry(source, id, environment);
  const remaining = remainingOrigin(id, source.file, definitions);
  const counts =
    remaining === undefined ? '' : ` The one in ${formatLocation(remaining.file, remaining.line)} takes effect now.`;
  printChange(context.output, {
    isJson: parsed.isJson,
    isDryRun,
    answer: { action: 'removed', id, scope, file: source.file, effective: remaining ?? null },
    sentence: `${quoteIfNeeded(id)} removed from the ${scope} config, ${formatLocation(source.file, 0)}.${counts}`,
    warnings: [
      ...(remaining === undefined ? await storedSignInWarning(id, environment) : []),
      ...explicitFileWarning(environment),
    ],
  });
}

/** Returns the entry that takes effect without the removed one, which the definitions still contain. */
function remainingOrigin(id: string, file: string, { candidates }: Definitions): Origin | undefined {
  const others = candidates.filter(({ entry }) => entry.id === id && entry.origin.file !== file);
  return (others.find(({ isTrusted }) => isTrusted) ?? others[0])?.entry.origin;
}

/** Warns that the stored sign-in remains: a later entry with this id may need it. */
async function storedSignInWarning(id: string, environment: Environment): Promise<readonly string[]> {
  const { authFile, openAuthStore } = await import('../../auth/store/auth-store.ts');
  if (!existsSync(authFile(environment))) return [];
  try {
    // No server is left whose URL the record could match.
    if (openAuthStore(environment).ignoredReason(id, '') === undefined) return [];
  } catch {
    // Signing in or out reports the fault of the file.
    return [];
  }
  return [`its sign-in is still stored. To remove it, run ${serverCommand('mcp logout', id)}`];
}
