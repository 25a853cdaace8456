import type { Definitions } from '../../../config/load-config.ts';
import type { Candidate } from '../../../config/merge-files.ts';
import { type ArgumentRules, parseArguments } from '../../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { parseScope } from '../config/change-result.ts';
import { readDefinitions, type Scope, sourceToChange, withoutExplicitFile } from '../config/definitions.ts';
import { defaultScope } from '../config/locate-entry.ts';

type Verb = 'enable' | 'disable';

/** The parsed command line and the definitions of all files. */
export interface ToggleRequest {
  readonly verb: Verb;
  readonly id: string;
  readonly scope: Scope;
  readonly isScopeGiven: boolean;
  readonly isJson: boolean;
  readonly isDryRun: boolean;
  readonly source: ReturnType<typeof sourceToChange>;
  /** As before the change. */
  readonly definitions: Definitions;
  readonly context: CommandContext;
}

export async function parseToggleRequest(
  verb: Verb,
  args: readonly string[],
  context: CommandContext,
): Promise<ToggleRequest> {
  const rules = rulesOf(verb);
  const parsed = parseArguments(args, rules);
  const given = parseScope(parsed, rules);
  const environment = environmentOf(context);
  const [id = ''] = parsed.positionals;
  const definitions = await readDefinitions(withoutExplicitFile(environment));
  const scope = given ?? defaultScope(id, definitions, environment);
  return {
    ...{ verb, id, scope, isScopeGiven: given !== undefined, isJson: parsed.isJson },
    isDryRun: parsed.has('--dry-run'),
    ...{ source: sourceToChange(environment, scope, id), definitions, context },
  };
}

export function rulesOf(verb: Verb): ArgumentRules {
  return {
    command: `switchboard mcp ${verb}`,
    positionals: ['<server>[.<tool>]'],
    requiredPositionals: 1,
    options: ['--scope'],
    flags: ['--dry-run'],
  };
}

/** Returns the entry in the config to change. */
export function entryToChange({ id, source, definitions }: ToggleRequest): Candidate | undefined {
  return definitions.candidates.find(({ entry }) => entry.id === id && entry.origin.file === source.file);
}
