import { AppError } from '../../../base/errors.ts';
import { visible, visibleWord } from '../../../base/text/visible-text.ts';
import { ownNameFault } from '../../../config/entry/entry-name.ts';
import { type Candidate, isBare } from '../../../config/merge-files.ts';
import { serverCommand } from '../../../config/next-command.ts';
import { place } from '../../../config/problem.ts';
import type { Origin } from '../../../config/server-entry.ts';
import { forgetEntry, trustEntry } from '../../../config/trust/trust-project.ts';
import { removeEntry, setEnabled, writeEntry } from '../../../config/write/write-entry.ts';
import type { CommandContext } from '../../main.ts';
import { answerChange, changedMeanwhile, elsewhere } from '../config/change-result.ts';
import { namedFileNote } from '../config/definitions.ts';
import { OVERRIDE, overriddenBy } from '../config/override.ts';
import { unknownServer } from '../config/unknown-server.ts';
import { answerAlready } from './already.ts';
import { effect, effectOfOther, entryWithoutEffect, withoutEffect } from './effect.ts';
import { entryOf, readRequest, type SwitchRequest } from './request.ts';

/** `switchboard mcp enable`: an entry that only switched another one off goes; any other is switched on. */
export async function mcpEnable(args: readonly string[], context: CommandContext): Promise<void> {
  const request = await readRequest('enable', args, context);
  const { id, scope, source, definitions } = request;
  const ours = entryOf(request);
  const other = ours && overriddenBy(ours, definitions.candidates);
  if (other !== undefined) {
    removeEntry(source, id);
    forgetEntry(source, id, request.surroundings);
    const where = place(other.entry.origin.file, other.entry.origin.line);
    const left = other.isTrusted ? `the entry in ${where} counts again` : `what is left is the entry in ${where}`;
    const sentence = `${visibleWord(id)} is no longer switched off here: ${left}.`;
    return answer(request, { action: 'override removed', sentence, warnings: effectOfOther(id, other) });
  }
  if (ours !== undefined && isBare(ours.entry.content)) throw undefinedServer(request, ours);
  const changed = setEnabled(source, id, { isEnabled: true });
  if (changed === undefined)
    return answerAlready(request, { state: 'on', origin: placeWhereOn(request), warnings: [] });
  if (!changed.isChanged) {
    const untrusted = entryWithoutEffect(request, 'on');
    if (untrusted !== undefined) throw withoutEffect(request, { ours: untrusted, state: 'on' });
    return answerAlready(request, { state: 'on', origin: ours?.entry.origin, warnings: effect(request) });
  }
  const sentence = `${visibleWord(id)} is enabled in the ${scope} config, ${place(source.file, 0)}.`;
  answer(request, { action: 'enabled', sentence, warnings: effect(request) });
}

/** It only switches off, and what it could have switched off is gone: nothing would be there to be on. */
function undefinedServer({ id, scope }: SwitchRequest, { entry: { origin } }: Candidate): AppError {
  const { file, line } = origin;
  const removal = serverCommand('mcp remove', id, scope === 'global' ? ' --scope global' : '');
  const message = `${visibleWord(id)} cannot be switched on: ${place(file, line)} does not say how it is reached. To take that entry away, run: ${removal}`;
  return new AppError('USAGE', message, { data: { server: id, file, line } });
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
  if (changed !== undefined) return answerOff(request);
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
  writeEntry(source, id, { entry: OVERRIDE, mayReplace: false });
  trustOverride(request, counting, { action: 'override written', written: OVERRIDE });
}

/** Its own entry says so already. One that nobody trusts has no effect; it is trusted now if it does nothing but that. */
function answerOff(request: SwitchRequest): void {
  const untrusted = entryWithoutEffect(request, 'off');
  const counting = request.definitions.chosen.get(request.id);
  if (untrusted !== undefined && !isBare(untrusted.entry.content))
    throw withoutEffect(request, { ours: untrusted, state: 'off' });
  if (untrusted !== undefined && counting !== undefined) {
    const written = untrusted.file.servers.find((server) => server.id === request.id)?.value.content;
    trustOverride(request, counting, { action: 'override trusted', written });
  } else answerAlready(request, { state: 'off', origin: entryOf(request)?.entry.origin, warnings: effect(request) });
}

function trustOverride(
  request: SwitchRequest,
  { entry: { origin } }: Candidate,
  { action, written }: { readonly action: string; readonly written: unknown },
): void {
  const { id, source, surroundings } = request;
  if (!trustEntry(source, { id, written }, surroundings)) throw changedMeanwhile(source, id);
  const sentence = `${visibleWord(id)} is switched off for this project by ${place(source.file, 0)}; the entry in ${place(origin.file, origin.line)} is as it was.`;
  answer(request, { action, sentence, warnings: [] });
}

function missing({ id, verb, scope, definitions }: SwitchRequest): AppError {
  const found = definitions.chosen.get(id);
  if (found === undefined) return unknownServer(id, definitions);
  const { content, origin } = found.entry;
  if (verb === 'disable' || content.kind !== 'on') return elsewhere(id, { command: verb, scope, found });
  const { file, line } = origin;
  const message = `${visibleWord(id)} is not in the ${scope} config, but in ${place(file, line)}. It is enabled there already.`;
  return new AppError('USAGE', message, { data: { server: id, file, line } });
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
