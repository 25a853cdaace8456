import type { Candidate } from '../../../config/merge-files.ts';
import { type ArgumentRules, readArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import { readScope } from '../config/change-result.ts';
import {
  type Definitions,
  ownSource,
  readDefinitions,
  type Scope,
  surroundingsOf,
  withoutNamedFile,
} from '../config/definitions.ts';

type Verb = 'enable' | 'disable';

/** What was asked, and what all files say. */
export interface SwitchRequest {
  readonly verb: Verb;
  readonly id: string;
  readonly scope: Scope;
  readonly isScopeGiven: boolean;
  readonly isJson: boolean;
  readonly source: ReturnType<typeof ownSource>;
  readonly surroundings: ReturnType<typeof surroundingsOf>;
  /** As they were before the change. */
  readonly definitions: Definitions;
  readonly context: CommandContext;
}

export async function readRequest(
  verb: Verb,
  args: readonly string[],
  context: CommandContext,
): Promise<SwitchRequest> {
  const rules: ArgumentRules = { command: `switchboard mcp ${verb}`, words: ['<id>'], needed: 1, once: ['--scope'] };
  const asked = readArguments(args, rules);
  const given = readScope(asked, rules);
  const scope = given ?? 'project';
  const surroundings = surroundingsOf(context);
  const [id = ''] = asked.words;
  return {
    ...{ verb, id, scope, isScopeGiven: given !== undefined, isJson: asked.isJson },
    ...{ source: ownSource(surroundings, scope, id), surroundings, context },
    definitions: await readDefinitions(withoutNamedFile(surroundings)),
  };
}

/** The entry of the config that is to be changed. */
export function entryOf({ id, source, definitions }: SwitchRequest): Candidate | undefined {
  return definitions.candidates.find(({ entry }) => entry.id === id && entry.origin.file === source.file);
}
