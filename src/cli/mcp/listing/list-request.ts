import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../command-context.ts';
import { takeCommand, typedServer } from '../target/typed-server.ts';
import type { ListRequest } from './print-list.ts';
import { parseRequestOptions } from './request-options.ts';

/** Parses `[server]`, `<url>` or `-- <command>`, and the options of every list. */
export function parseListRequest(args: readonly string[], rules: ArgumentRules, context: CommandContext): ListRequest {
  const command = takeCommand(args);
  const parsed = parseArguments(command?.args ?? args, rules);
  const [id] = parsed.positionals;
  const typed = typedServer(id, command, rules);
  if (command !== undefined && id !== undefined) throw usageError(rules, `Unexpected argument ${quoteIfNeeded(id)}.`);
  return { id, typed, isJson: parsed.isJson, options: parseRequestOptions(parsed, rules, context) };
}
