import { programName } from '../../base/program-name.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { listVariables } from '../../config/entry/variable-uses.ts';
import type { Environment } from '../../config/files/folders.ts';
import { openSecretStore } from '../../config/secrets/secret-store.ts';
import type { ServerEntry } from '../../config/server-entry.ts';

type Entry = Pick<ServerEntry, 'expandsVariables'> & { readonly transport: ServerEntry['transport'] | undefined };

/** Returns the variables that an entry needs and that have no value here. One with a default is not needed. */
export function missingVariables({ transport, expandsVariables }: Entry, environment: Environment): readonly string[] {
  if (transport === undefined) return [];
  const text = JSON.stringify(transport);
  const values = { ...openSecretStore(environment).readAll(), ...environment.env };
  const names = new Set(listVariables({ transport, expandsVariables }));
  return [...names].filter((name) => (values[name] ?? '') === '' && !text.includes(`\${${name}:-`));
}

/** Follows the name of a server, and ends with the next command. Undefined if nothing is missing. */
export function missingText([first, ...more]: readonly string[]): string | undefined {
  if (first === undefined) return undefined;
  const names = [first, ...more].map(escapeInvisible).join(', ');
  return `needs ${names}. Next: ${programName()} secret set ${quoteForShell(first)}`;
}
