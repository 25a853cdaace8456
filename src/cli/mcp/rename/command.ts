import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { checkOwnName } from '../../../config/entry/entry-name.ts';
import type { Definitions } from '../../../config/load-config.ts';
import { formatLocation } from '../../../config/problem.ts';
import { forgetEntry } from '../../../config/trust/trust-project.ts';
import { renameEntry } from '../../../config/write/edit-entry.ts';
import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { parseScope, printChange } from '../config/change-result.ts';
import { explicitFileWarning, readDefinitions, withoutExplicitFile } from '../config/definitions.ts';
import { changedConcurrentlyError } from '../config/entry-errors.ts';
import { keepTrust } from '../config/keep-trust.ts';
import { locateEntry } from '../config/locate-entry.ts';
import { moveStoredData } from './move-stored-data.ts';

const RULES: ArgumentRules = {
  command: 'switchboard mcp rename',
  positionals: ['<server>', '<new name>'],
  requiredPositionals: 2,
  options: ['--scope'],
  flags: ['--dry-run'],
};

/** Runs `switchboard mcp rename <server> <new name>`: its sign-in, pinned tools and client records keep working. */
export async function mcpRename(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const [id = '', to = ''] = parsed.positionals;
  const fault = checkOwnName(to);
  if (fault !== undefined) throw usageError(RULES, `${quoteIfNeeded(to)} cannot be an id: ${fault}.`);
  if (to === id) throw usageError(RULES, `${quoteIfNeeded(id)} already has this name.`);
  const environment = withoutExplicitFile(environmentOf(context));
  const definitions = await readDefinitions(environment);
  const scopeOption = parseScope(parsed, RULES);
  const { source, scope, isTrusted } = locateEntry(id, {
    ...{ command: 'rename', scope: scopeOption, definitions, environment },
  });
  const isDryRun = parsed.has('--dry-run');
  const written = definitions.candidates
    .find(({ entry }) => entry.id === id && entry.origin.file === source.file)
    ?.file.servers.find((server) => server.id === id)?.value.content;
  const renamed = renameEntry(source, id, to, { isDryRun });
  if (renamed === undefined) throw changedConcurrentlyError(source, id);
  if (!isDryRun) {
    keepTrust(to, { source, isTrusted, written }, context);
    if (source.needsTrust) forgetEntry(source, id, environment);
  }
  const stored = { id, to, file: source.file, isShared: isShared(id, source.file, definitions) };
  const moved = await moveStoredData(stored, { environment, isDryRun });
  printChange(context.output, {
    isJson: parsed.isJson,
    isDryRun,
    answer: { action: 'renamed', id: to, from: id, scope, file: source.file, moved: moved.done },
    sentence: `${quoteIfNeeded(id)} is now ${quoteIfNeeded(to)} in the ${scope} config, ${formatLocation(source.file, 0)}.${movedText(moved.done)} Clients of the gateway see its tools as ${to}__<tool>.`,
    warnings: [
      ...moved.warnings,
      ...sameNameWarnings(to, source.file, definitions),
      ...explicitFileWarning(environmentOf(context)),
    ],
  });
}

/** Whether another file defines a server of the old name, which keeps the stored data. */
function isShared(id: string, file: string, { candidates }: Definitions): boolean {
  return candidates.some(({ entry }) => entry.id === id && entry.origin.file !== file);
}

function movedText(done: readonly string[]): string {
  return done.length === 0 ? '' : ` Moved with it: ${done.join(', ')}.`;
}

function sameNameWarnings(id: string, file: string, { candidates }: Definitions): readonly string[] {
  const other = candidates.find(({ entry }) => entry.id === id && entry.origin.file !== file)?.entry.origin;
  if (other === undefined) return [];
  return [
    `${formatLocation(other.file, other.line)} also defines ${quoteIfNeeded(id)}: only one of the two takes effect.`,
  ];
}
