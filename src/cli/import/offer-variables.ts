import { isAppError } from '../../base/errors.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { missingVariables } from '../../clients/import/missing-variables.ts';
import type { ImportPlan } from '../../clients/import/plan-import.ts';
import { openSecretStore, type SecretStore } from '../../config/secrets/secret-store.ts';
import { createSecretInput } from '../arguments/secret-input.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { confirm } from '../terminal/confirm.ts';

/**
 * Offers to store the variables that imported servers need: values of this shell, which a client that starts elsewhere
 * does not have, and values that nobody has set. Only for a person on a terminal.
 */
export async function offerVariables({ servers }: ImportPlan, context: CommandContext): Promise<void> {
  const store = openSecretStore(environmentOf(context));
  const stored = store.readAll();
  const written = servers.filter(({ action }) => action === 'added' || action === 'replaced');
  const needed = [...new Set(written.flatMap(({ entry }) => missingVariables(entry, stored)))];
  const shellValue = (name: string) => context.env[name] ?? '';
  const inShell = needed.filter((name) => shellValue(name) !== '');
  const unset = needed.filter((name) => shellValue(name) === '');
  if (inShell.length > 0 && (await confirm(shellQuestion(inShell), STOPPED)))
    for (const name of inShell) store.set(name, shellValue(name));
  if (unset.length === 0) return;
  const left = (await confirm(unsetQuestion(unset), STOPPED)) ? await askFor(unset, store) : unset;
  for (const name of left) context.output.report(`Next: switchboard secret set ${quoteForShell(name)}`);
}

/** Shown if the user interrupts, when everything except the variables is done. */
const STOPPED = 'The servers were imported. No further variable was stored.';

function shellQuestion(names: readonly string[]): string {
  const [verb, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `\n${names.join(', ')} ${verb} set in this shell, but clients may not pass ${them} on. Store ${them} for all clients? [y/N] `;
}

function unsetQuestion(names: readonly string[]): string {
  return `\n${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} no value. Enter and store ${names.length === 1 ? 'it' : 'them'} now? [y/N] `;
}

/** Stores what the user types. Returns the names that are left when the user enters nothing. */
async function askFor(names: readonly string[], store: SecretStore): Promise<readonly string[]> {
  const input = createSecretInput({ input: process.stdin, output: process.stderr });
  for (const [index, name] of names.entries()) {
    try {
      store.set(name, await input.prompt(`value of ${name}`, STOPPED));
    } catch (error) {
      if (!isAppError(error) || error.code !== 'CANCELLED') throw error;
      return names.slice(index);
    }
  }
  return [];
}
