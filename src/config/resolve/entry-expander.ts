import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { formatLocation } from '../problem.ts';
import type { ServerEntry } from '../server-entry.ts';
import { expandVariables } from './expand-variables.ts';
import { lookUpVariable } from './server-environment.ts';

/** Expands the variables in a text of an entry. `key` names the text in messages. */
export type Expander = (text: string, key: string) => string;

/**
 * Creates an expander for the dialect of the entry's file. A missing variable is an error of this server, never an
 * empty text.
 */
export function createExpander(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): Expander {
  if (!entry.expandsVariables) return (text) => text;
  return (text, key) => {
    const foreign = /\$\{(?:env|input):[^}]*\}/.exec(text)?.[0];
    if (foreign !== undefined) {
      const advice = `which is the notation of another program: write \${NAME} instead`;
      throw invalidEntry(entry, `has ${foreign} in ${key}, ${advice}`);
    }
    return expandVariables(text, {
      lookup: (name) => lookUpVariable(env, name, platform),
      missingError: (name) =>
        invalidEntry(
          entry,
          `needs \${${name}} in ${key}, but ${name} is not set: set it, or write \${${name}:-default}`,
          name,
        ),
    });
  };
}

/** `variable` is the one that has no value, if that is the reason. */
export function invalidEntry({ id, origin }: ServerEntry, what: string, variable?: string): AppError {
  return new AppError(
    'CONFIG_INVALID',
    `Server ${quoteIfNeeded(id)} ${what} (${formatLocation(origin.file, origin.line)}).`,
    {
      data: { server: id, file: origin.file, line: origin.line, ...(variable === undefined ? {} : { variable }) },
    },
  );
}
