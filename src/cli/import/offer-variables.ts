import { isAppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { missingVariables } from '../../clients/import/missing-variables.ts';
import type { ImportPlan } from '../../clients/import/plan-import.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import { createSecretInput } from '../arguments/secret-input.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { confirm } from '../terminal/confirm.ts';

type Store = (name: string, value: string) => void;

export interface OfferOptions {
  readonly context: CommandContext;
  /** The error text if the user interrupts. */
  readonly onInterrupt: string;
  /** Called before a value is stored. */
  readonly beforeStore?: Store;
}

/**
 * Offers to store these variables: values of this shell, which a client that starts elsewhere does not have, and values
 * that nobody has set. Only for a person on a terminal.
 */
export async function offerVariables(names: readonly string[], options: OfferOptions): Promise<void> {
  const { context, onInterrupt } = options;
  const { inShell, unset } = splitVariables(names, context);
  if (inShell.length > 0 && (await confirm(shellQuestion(inShell), onInterrupt)))
    for (const name of inShell) openSecretStore(environmentOf(context)).set(name, context.env[name] ?? '');
  await offerUnset(unset, options);
}

/** Offers to store variables that have no value. */
export async function offerUnset(names: readonly string[], options: OfferOptions): Promise<void> {
  if (names.length === 0) return;
  const { context, onInterrupt, beforeStore } = options;
  const secrets = openSecretStore(environmentOf(context));
  const store: Store = (name, value) => {
    beforeStore?.(name, value);
    secrets.set(name, value);
  };
  const isAgreed = await confirm(unsetQuestion(names), onInterrupt);
  const left = isAgreed ? await askFor(names, { store, onInterrupt }) : names;
  for (const name of left) context.output.report(`Next: ${programName()} secret set ${quoteForShell(name)}`);
}

/** Separates the variables that this shell has from those that have no value. */
export function splitVariables(
  names: readonly string[],
  { env }: Pick<CommandContext, 'env'>,
): { readonly inShell: readonly string[]; readonly unset: readonly string[] } {
  const isSet = (name: string) => (env[name] ?? '') !== '';
  return { inShell: names.filter(isSet), unset: names.filter((name) => !isSet(name)) };
}

/** Returns the variables that imported servers need and that are not stored. */
export function neededVariables({ servers }: ImportPlan, context: CommandContext): readonly string[] {
  const stored = openSecretStore(environmentOf(context)).readAll();
  const written = servers.filter(({ action }) => action === 'added' || action === 'replaced');
  return [...new Set(written.flatMap(({ entry }) => missingVariables(entry, stored)))];
}

function shellQuestion(names: readonly string[]): string {
  const [verb, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return `\n${names.join(', ')} ${verb} set in this shell, but clients may not pass ${them} on. Store ${them} for all clients? [y/N] `;
}

function unsetQuestion(names: readonly string[]): string {
  return `\n${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} no value. Enter and store ${names.length === 1 ? 'it' : 'them'} now? [y/N] `;
}

/** Stores what the user types. Returns the names that are left when the user enters nothing. */
async function askFor(
  names: readonly string[],
  { store, onInterrupt }: { readonly store: Store; readonly onInterrupt: string },
): Promise<readonly string[]> {
  const input = createSecretInput({ input: process.stdin, output: process.stderr });
  for (const [index, name] of names.entries()) {
    try {
      store(name, await input.prompt(`value of ${name}`, onInterrupt));
    } catch (error) {
      if (!isAppError(error) || error.code !== 'CANCELLED') throw error;
      return names.slice(index);
    }
  }
  return [];
}
