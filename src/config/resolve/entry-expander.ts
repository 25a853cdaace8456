import { AppError } from '../../base/errors.ts';
import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import { secretCommand } from '../next-command.ts';
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
      missingError: (name) => missingVariable(entry, name),
    });
  };
}

export function invalidEntry({ id, origin }: ServerEntry, what: string): AppError {
  const { file, line } = origin;
  const message = `Server ${quoteIfNeeded(id)} ${what} (${formatLocation(file, line)}).`;
  return new AppError('CONFIG_INVALID', message, { data: { server: id, file, line } });
}

/** Builds the error for a variable without a value. Its message ends with the command that stores one. */
export function missingVariable({ id, origin }: ServerEntry, variable: string): AppError {
  const { file, line } = origin;
  const what = `${quoteIfNeeded(id)} needs ${quoteIfNeeded(variable)}, which is not set (${formatLocation(file, line)})`;
  return new AppError('CONFIG_INVALID', `${what}. Run: ${secretCommand(variable)}`, {
    data: { server: id, file, line, variable },
  });
}
