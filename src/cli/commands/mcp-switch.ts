import { AppError } from '../../base/errors.ts';
import { ownNameFault } from '../../config/entry-name.ts';
import { type Candidate, trustCommand } from '../../config/merge.ts';
import { place } from '../../config/problem.ts';
import type { Origin } from '../../config/server-entry.ts';
import { shellWord } from '../../config/shell-word.ts';
import { forgetEntry, trustEntry } from '../../config/trust-project.ts';
import { visible, visibleWord } from '../../config/visible-text.ts';
import { removeEntry, setEnabled, writeEntry } from '../../config/write-entry.ts';
import type { CommandContext } from '../main.ts';
import { answerChange, elsewhere } from './mcp-answers.ts';
import { namedFileNote } from './mcp-sources.ts';
import { answerAlready } from './mcp-switch-already.ts';
import { definitionElsewhere, overriddenBy, overrideOf } from './mcp-switch-override.ts';
import { entryOf, readRequest, type SwitchRequest } from './mcp-switch-request.ts';
import { unknownServer } from './mcp-unknown.ts';

/** `switchboard mcp enable`: an entry that only switched another one off goes; any other is switched on. */
export async function mcpEnable(args: readonly string[], context: CommandContext): Promise<void> {
  const request = await readRequest('enable', args, context);
  const { id, scope, source, definitions } = request;
  const ours = entryOf(request);
  const other = ours && overriddenBy(ours, definitions.candidates);
  if (other !== undefined) {
    removeEntry(source, id);
    forgetEntry(source, id, request.surroundings);
    const { file, line } = other.entry.origin;
    const sentence = `${visibleWord(id)} is no longer switched off here: the entry in ${place(file, line)} counts again.`;
    return answer(request, { action: 'override removed', sentence, warnings: otherIsOff(id, other) });
  }
  const changed = setEnabled(source, id, { isEnabled: true });
  if (changed === undefined)
    return answerAlready(request, { state: 'on', origin: placeWhereOn(request), warnings: [] });
  if (!changed.isChanged)
    return answerAlready(request, { state: 'on', origin: ours?.entry.origin, warnings: effect(request) });
  const sentence = `${visibleWord(id)} is enabled in the ${scope} config, ${place(source.file, 0)}.`;
  answer(request, { action: 'enabled', sentence, warnings: effect(request) });
}

/** The config that is to be changed does not have it: whoever names none wants it to be on, wherever it stands. */
function placeWhereOn(request: SwitchRequest): Origin {
  const { id, isScopeGiven, definitions } = request;
  const server = definitions.servers.find((one) => one.id === id);
  if (server === undefined || isScopeGiven || definitions.chosen.get(id)?.entry.content.kind !== 'on')
    throw missing(request);
  const { verdict, origin } = server;
  if (verdict.kind === 'usable') return origin;
  const where = place(origin.file, origin.line);
  throw new AppError('USAGE', `${visibleWord(id)} is enabled in ${where} already, but ${visible(verdict.reason)}`, {
    data: { server: id, file: origin.file, line: origin.line },
  });
}

/** `switchboard mcp disable`: a server of another file is switched off for this project only. */
export async function mcpDisable(args: readonly string[], context: CommandContext): Promise<void> {
  const request = await readRequest('disable', args, context);
  const { id, scope, source, definitions } = request;
  const counting = definitions.chosen.get(id);
  const changed = setEnabled(source, id, { isEnabled: false });
  if (changed?.isChanged === true) {
    const sentence = `${visibleWord(id)} is disabled in the ${scope} config, ${place(source.file, 0)}.`;
    return answer(request, { action: 'disabled', sentence, warnings: effect(request) });
  }
  if (changed !== undefined)
    return answerAlready(request, { state: 'off', origin: entryOf(request)?.entry.origin, warnings: effect(request) });
  if (request.isScopeGiven || counting === undefined) throw missing(request);
  const { content, origin } = counting.entry;
  if (content.kind === 'off') return answerAlready(request, { state: 'off', origin, warnings: [] });
  const { file, line } = origin;
  const fault = ownNameFault(id);
  if (fault !== undefined)
    throw new AppError(
      'USAGE',
      `${visibleWord(id)} cannot be switched off for this project alone: ${fault}. Switch it off in ${place(file, line)}.`,
    );
  writeEntry(source, id, { entry: overrideOf(counting), mayReplace: false });
  trustEntry(source, id, request.surroundings);
  const sentence = `${visibleWord(id)} is switched off for this project by ${place(source.file, 0)}; the entry in ${place(file, line)} is as it was.`;
  answer(request, { action: 'override written', sentence, warnings: [] });
}

function otherIsOff(id: string, { entry: { content, origin } }: Candidate): readonly string[] {
  if (content.kind !== 'off') return [];
  const next =
    origin.layer === 'global' ? `run switchboard mcp enable ${shellWord(id)} --scope global` : 'edit it there';
  return [`it is switched off in ${place(origin.file, origin.line)} too: ${next}.`];
}

/** Why the change has no effect here, if so. */
function effect(request: SwitchRequest): readonly string[] {
  const { id, scope, definitions } = request;
  const [ours, counting] = [entryOf(request), definitions.chosen.get(id)];
  if (ours !== undefined && !ours.isTrusted)
    return [`the entry is untrusted and has no effect: to trust it, run ${trustCommand(ours.entry.origin)}`];
  if (counting !== undefined && counting.entry.origin.layer !== scope) {
    const { file, line } = counting.entry.origin;
    return [`here the entry in ${place(file, line)} counts, and not this one.`];
  }
  // Whatever only switches another one off takes the place of nothing.
  if (ours !== undefined && overriddenBy(ours, definitions.candidates) !== undefined) return [];
  const other = scope === 'project' ? definitionElsewhere(id, definitions.candidates)?.entry.origin : undefined;
  if (other === undefined) return [];
  const removal = `switchboard mcp remove ${shellWord(id)}`;
  return [`it stands in the place of the one in ${place(other.file, other.line)}; to use that one, run ${removal}`];
}

function missing({ id, verb, scope, definitions }: SwitchRequest): AppError {
  const found = definitions.chosen.get(id);
  if (found === undefined) return unknownServer(id, definitions);
  const error = elsewhere(id, { command: verb, scope, found });
  if (verb === 'disable' || found.entry.content.kind !== 'on') return error;
  return new AppError(error.code, `${error.message} It is enabled there already.`, { data: error.data ?? {} });
}

function answer(
  { id, scope, source, isJson, context, surroundings }: SwitchRequest,
  {
    action,
    sentence,
    warnings,
  }: { readonly action: string; readonly sentence: string; readonly warnings: readonly string[] },
): void {
  answerChange(context.output, {
    isJson,
    answer: { action, id, scope, file: source.file },
    sentence,
    warnings: [...warnings, ...namedFileNote(surroundings)],
  });
}
