import { existsSync } from 'node:fs';
import { visibleWord } from '../../base/text/visible-text.ts';
import type { Surroundings } from '../../config/files/folders.ts';
import { serverCommand } from '../../config/next-command.ts';
import { place } from '../../config/problem.ts';
import { forgetEntry } from '../../config/trust/trust-project.ts';
import { removeEntry } from '../../config/write/write-entry.ts';
import { type ArgumentRules, readArguments } from '../arguments/parse-arguments.ts';
import type { CommandContext } from '../main.ts';
import { answerChange, elsewhere, readScope } from './config/change-result.ts';
import { namedFileNote, ownSource, readDefinitions, surroundingsOf, withoutNamedFile } from './config/definitions.ts';
import { unknownServer } from './config/unknown-server.ts';

const RULES: ArgumentRules = { command: 'switchboard mcp remove', words: ['<id>'], needed: 1, once: ['--scope'] };

/** `switchboard mcp remove`: takes an entry out of one config, and out of no other. */
export async function mcpRemove(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, RULES);
  const [id = ''] = asked.words;
  const scope = readScope(asked, RULES) ?? 'project';
  const surroundings = surroundingsOf(context);
  const source = ownSource(surroundings, scope, id);
  const removed = removeEntry(source, id);
  const definitions = await readDefinitions(withoutNamedFile(surroundings));
  if (removed === undefined) {
    const found = definitions.candidates.find(({ entry }) => entry.id === id);
    throw found === undefined ? unknownServer(id, definitions) : elsewhere(id, { command: 'remove', scope, found });
  }
  if (source.needsTrust) forgetEntry(source, id, surroundings);
  const left = definitions.chosen.get(id)?.entry.origin;
  const counts = left === undefined ? '' : ` Now the one in ${place(left.file, left.line)} counts.`;
  answerChange(context.output, {
    isJson: asked.isJson,
    answer: { action: 'removed', id, scope, file: source.file, effective: left ?? null },
    sentence: `${visibleWord(id)} removed from the ${scope} config, ${place(source.file, 0)}.${counts}`,
    warnings: [...(left === undefined ? await leftSignIn(id, surroundings) : []), ...namedFileNote(surroundings)],
  });
}

/** It outlives the entry: the next one of this id may want it. */
async function leftSignIn(id: string, surroundings: Surroundings): Promise<readonly string[]> {
  const { authFile, openAuthStore } = await import('../../auth/store/auth-store.ts');
  if (!existsSync(authFile(surroundings))) return [];
  try {
    // No server is left whose URL it could be for.
    if (openAuthStore(surroundings).whyIgnored(id, '') === undefined) return [];
  } catch {
    // Whoever signs in or out is told what is wrong with the file.
    return [];
  }
  return [`its sign-in is still stored. To forget it, run ${serverCommand('mcp logout', id)}`];
}
