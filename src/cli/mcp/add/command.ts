import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { checkOwnName } from '../../../config/entry/entry-name.ts';
import { serverCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import { trustEntry } from '../../../config/trust/trust-project.ts';
import { readTrustStore, trustFile } from '../../../config/trust/trust-store.ts';
import { writeEntry } from '../../../config/write/write-entry.ts';
import { parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { createSecretInput } from '../../arguments/secret-input.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { parseScope, printChange } from '../config/change-result.ts';
import { explicitFileWarning, readDefinitions, sourceToChange, withoutExplicitFile } from '../config/definitions.ts';
import { changedConcurrentlyError } from '../config/entry-errors.ts';
import { maskEntry } from '../config/mask-entry.ts';
import { projectSecretWarnings } from '../config/secret-warnings.ts';
import { validateEntry } from '../config/validate-entry.ts';
import { buildEntry } from './build-entry.ts';
import { parseAddRequest } from './parse-arguments.ts';
import { ADD_RULES } from './rules.ts';
import type { ShareHint } from './share-hint.ts';

/** Runs `switchboard mcp add`: writes one entry and trusts it. Prompts only after all other checks have passed. */
export async function mcpAdd(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, ADD_RULES);
  const [id = ''] = parsed.positionals;
  const fault = checkOwnName(id);
  if (fault !== undefined) throw usageError(ADD_RULES, `${quoteIfNeeded(id)} cannot be an id: ${fault}.`);
  const environment = environmentOf(context);
  const scope = parseScope(parsed, ADD_RULES) ?? 'project';
  const source = sourceToChange(environment, scope);
  const addition = parseAddRequest(parsed, { source, environment });
  const options = { mayReplace: parsed.has('--replace'), isDryRun: true };
  writeEntry(source, id, { ...options, entry: {} });
  // An unusable trust store must fail before anything is written.
  if (source.needsTrust) readTrustStore(trustFile(environment));
  const secrets = createSecretInput({ input: process.stdin, output: process.stderr });
  const { entry, warnings } = await buildEntry(addition, secrets);
  validateEntry(id, entry, ADD_RULES);
  const isDryRun = parsed.has('--dry-run');
  const written = writeEntry(source, id, { ...options, entry, isDryRun });
  if (source.needsTrust && !isDryRun && !trustEntry(source, { id, written: entry }, environment))
    throw changedConcurrentlyError(source, id);
  const done = written.isReplaced ? 'replaced' : 'added';
  const verb = isDryRun ? `would be ${done}` : done;
  const shown = maskEntry(entry);
  const isInUse = !isDryRun && entry['enabled'] !== false;
  const hint = isInUse ? (await import('./share-hint.ts')).shareHint(id, environment) : undefined;
  printChange(context.output, {
    isJson: parsed.isJson,
    answer: { action: done, id, scope, file: source.file, isDryRun, isTrusted: true, entry: shown, ...sharing(hint) },
    sentence: `${quoteIfNeeded(id)} ${verb} in the ${scope} config, ${formatLocation(source.file, 0)}${isDryRun ? `:\n${JSON.stringify({ [id]: shown }, null, 2)}` : '.'}`,
    warnings: [
      ...warnings,
      ...projectSecretWarnings(entry, { scope, file: source.file }),
      ...(isDryRun ? [] : await sameIdWarnings(id, { context, file: source.file })),
      ...explicitFileWarning(environment),
    ],
    next: [...(isInUse ? [serverCommand('mcp test', id)] : []), ...(hint === undefined ? [] : [hint.text])],
  });
}

function sharing(hint: ShareHint | undefined): object {
  return hint === undefined ? {} : { hiddenFrom: hint.hiddenFrom, share: hint.command };
}

/** Warns about other entries with the same id and names the one that takes effect. */
async function sameIdWarnings(
  id: string,
  { context, file }: { readonly context: CommandContext; readonly file: string },
): Promise<readonly string[]> {
  const { candidates, chosen } = await readDefinitions(withoutExplicitFile(environmentOf(context)));
  const counting = chosen.get(id)?.entry.origin;
  if (counting !== undefined && counting.file !== file)
    return [
      `this entry has no effect here, because the one in ${formatLocation(counting.file, counting.line)} takes precedence.`,
    ];
  const other = candidates.find(({ entry, isTrusted }) => entry.id === id && entry.origin.file !== file && isTrusted);
  if (other === undefined) return [];
  return [`it overrides the one in ${formatLocation(other.entry.origin.file, other.entry.origin.line)}.`];
}
