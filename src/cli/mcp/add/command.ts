import { shellWord } from '../../../base/text/shell-quote.ts';
import { visibleWord } from '../../../base/text/visible-text.ts';
import { ownNameFault } from '../../../config/entry/entry-name.ts';
import { place } from '../../../config/problem.ts';
import { secretsInEntry } from '../../../config/secrets/secret-keys.ts';
import { trustEntry } from '../../../config/trust/trust-project.ts';
import { readTrustStore, trustFile } from '../../../config/trust/trust-store.ts';
import { writeEntry } from '../../../config/write/write-entry.ts';
import { fail, readArguments } from '../../arguments/parse-arguments.ts';
import { createSecretSource } from '../../arguments/secret-input.ts';
import type { CommandContext } from '../../main.ts';
import { answerChange, changedMeanwhile, readScope } from '../config/change-result.ts';
import { namedFileNote, ownSource, readDefinitions, surroundingsOf, withoutNamedFile } from '../config/definitions.ts';
import { maskEntry } from '../config/mask-entry.ts';
import { buildEntry, checkEntry } from './build-entry.ts';
import { readAddition } from './parse-arguments.ts';
import { ADD_RULES } from './rules.ts';

/** `switchboard mcp add`: writes one entry, trusted as it is written. Nothing is asked before all else is right. */
export async function mcpAdd(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, ADD_RULES);
  const [id = ''] = asked.words;
  const fault = ownNameFault(id);
  if (fault !== undefined) throw fail(ADD_RULES, `${visibleWord(id)} cannot be an id: ${fault}.`);
  const surroundings = surroundingsOf(context);
  const scope = readScope(asked, ADD_RULES) ?? 'project';
  const source = ownSource(surroundings, scope);
  const addition = readAddition(asked, { source, surroundings });
  const options = { mayReplace: asked.has('--replace'), isTrial: true };
  writeEntry(source, id, { ...options, entry: {} });
  // A store of trust that cannot be used is a reason not to begin.
  if (source.needsTrust) readTrustStore(trustFile(surroundings));
  const secrets = createSecretSource({ input: process.stdin, output: process.stderr });
  const { entry, warnings } = await buildEntry(addition, secrets);
  checkEntry(id, entry);
  const isTrial = asked.has('--dry-run');
  const written = writeEntry(source, id, { ...options, entry, isTrial });
  if (source.needsTrust && !isTrial && !trustEntry(source, { id, written: entry }, surroundings))
    throw changedMeanwhile(source, id);
  const done = written.isReplaced ? 'replaced' : 'added';
  const verb = isTrial ? `would be ${done}` : done;
  const shown = maskEntry(entry);
  answerChange(context.output, {
    isJson: asked.isJson,
    answer: { action: done, id, scope, file: source.file, isDryRun: isTrial, isTrusted: true, entry: shown },
    sentence: `${visibleWord(id)} ${verb} in the ${scope} config, ${place(source.file, 0)}${isTrial ? `:\n${JSON.stringify({ [id]: shown }, null, 2)}` : '.'}`,
    warnings: [
      ...warnings,
      ...(scope === 'project' && secretsInEntry(entry).length > 0 ? [sharedSecret(source.file)] : []),
      ...(isTrial ? [] : await neighbours(id, { context, file: source.file })),
      ...namedFileNote(surroundings),
    ],
    ...(isTrial || entry['enabled'] === false ? {} : { next: `switchboard mcp test ${shellWord(id)}` }),
  });
}

function sharedSecret(file: string): string {
  return `${place(file, 0)} holds a secret and lies in a project. Keep it out of version control, or name a variable instead (--header-env, --bearer-token-env-var, --oauth-client-secret-env), or use --scope global.`;
}

/** Others with the same id: which of them counts is worth a word. */
async function neighbours(
  id: string,
  { context, file }: { readonly context: CommandContext; readonly file: string },
): Promise<readonly string[]> {
  const { candidates, chosen } = await readDefinitions(withoutNamedFile(surroundingsOf(context)));
  const counting = chosen.get(id)?.entry.origin;
  if (counting !== undefined && counting.file !== file)
    return [
      `this entry has no effect here, because the one in ${place(counting.file, counting.line)} takes precedence.`,
    ];
  const other = candidates.find(({ entry, isTrusted }) => entry.id === id && entry.origin.file !== file && isTrusted);
  if (other === undefined) return [];
  return [`it overrides the one in ${place(other.entry.origin.file, other.entry.origin.line)}.`];
}
