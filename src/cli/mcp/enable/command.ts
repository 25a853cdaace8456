import { AppError } from '../../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { checkOwnName } from '../../../config/entry/entry-name.ts';
import { type Candidate, isDisableOnly } from '../../../config/merge-files.ts';
import { serverCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import type { Origin } from '../../../config/server-entry.ts';
import { forgetEntry, trustEntry } from '../../../config/trust/trust-project.ts';
import { unknownServer } from '../../../config/unknown-server.ts';
import { removeEntry, setEnabled, writeEntry } from '../../../config/write/write-entry.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { printChange } from '../config/change-result.ts';
import { explicitFileWarning } from '../config/definitions.ts';
import { changedConcurrentlyError, definedElsewhereError } from '../config/entry-errors.ts';
import { OVERRIDE, overriddenBy } from '../config/override.ts';
import { effectWarnings, ineffectiveEntry, ineffectiveError, remainingEntryWarnings } from './effect.ts';
import { entryToChange, parseToggleRequest, type ToggleRequest } from './request.ts';
import { findToggledTool, toggleTool } from './toggle-tool.ts';

/** Runs `switchboard mcp enable`: removes an entry that only disables another one; enables any other. */
export async function mcpEnable(args: readonly string[], context: CommandContext): Promise<void> {
  const request = await parseToggleRequest('enable', args, context);
  const { id, scope, source, definitions, isDryRun } = request;
  const tool = findToggledTool(request);
  if (tool !== undefined) return toggleTool(request, tool);
  const ours = entryToChange(request);
  const other = ours && overriddenBy(ours, definitions.candidates);
  if (other !== undefined) {
    removeEntry(source, id, { isDryRun });
    if (!isDryRun) forgetEntry(source, id, environmentOf(context));
    const where = formatLocation(other.entry.origin.file, other.entry.origin.line);
    const left = other.isTrusted ? `the entry in ${where} takes effect again` : `the entry in ${where} remains`;
    const sentence = `${quoteIfNeeded(id)} is no longer disabled here: ${left}.`;
    return printResult(request, { action: 'override removed', sentence, warnings: remainingEntryWarnings(id, other) });
  }
  if (ours !== undefined && isDisableOnly(ours.entry.content)) throw undefinedServerError(request, ours);
  const changed = setEnabled(source, id, { isEnabled: true, isDryRun });
  if (changed === undefined)
    return printUnchanged(request, { state: 'on', origin: originWhereEnabled(request), warnings: [] });
  if (!changed.isChanged) {
    const untrusted = ineffectiveEntry(request, 'on');
    if (untrusted !== undefined) throw ineffectiveError(request, { ours: untrusted, state: 'on' });
    return printUnchanged(request, { state: 'on', origin: ours?.entry.origin, warnings: effectWarnings(request) });
  }
  const sentence = `${quoteIfNeeded(id)} is enabled in the ${scope} config, ${formatLocation(source.file, 0)}.`;
  printResult(request, { action: 'enabled', sentence, warnings: effectWarnings(request) });
}

/** Builds the error for an entry that only disables a server which is no longer defined: there is nothing to enable. */
function undefinedServerError({ id, scope }: ToggleRequest, { entry: { origin } }: Candidate): AppError {
  const { file, line } = origin;
  const removal = serverCommand('mcp remove', id, scope === 'global' ? ' --scope global' : '');
  const message = `${quoteIfNeeded(id)} cannot be enabled: ${formatLocation(file, line)} has no command or URL for it. To remove that entry, run: ${removal}`;
  return new AppError('USAGE', message, { data: { server: id, file, line } });
}

/**
 * Returns where the server is already enabled, although the config to change does not contain it. Without `--scope`,
 * the location does not matter.
 */
function originWhereEnabled(request: ToggleRequest): Origin {
  const { id, isScopeGiven, definitions } = request;
  const server = definitions.servers.find((one) => one.id === id);
  if (server === undefined || isScopeGiven || definitions.chosen.get(id)?.entry.content.kind !== 'on')
    throw missingError(request);
  const { verdict, origin } = server;
  if (verdict.kind === 'usable') return origin;
  const where = formatLocation(origin.file, origin.line);
  throw new AppError(
    'USAGE',
    `${quoteIfNeeded(id)} is already enabled in ${where}, but ${escapeInvisible(verdict.reason)}`,
    {
      data: { server: id, file: origin.file, line: origin.line },
    },
  );
}

/**
 * Runs `switchboard mcp disable`. In the project config, a server of another file is disabled by an entry that does
 * nothing else.
 */
export async function mcpDisable(args: readonly string[], context: CommandContext): Promise<void> {
  const request = await parseToggleRequest('disable', args, context);
  const { id, scope, source, definitions, isDryRun } = request;
  const tool = findToggledTool(request);
  if (tool !== undefined) return toggleTool(request, tool);
  const effective = definitions.chosen.get(id);
  const changed = setEnabled(source, id, { isEnabled: false, isDryRun });
  if (changed?.isChanged === true) {
    const reach = scope === 'global' ? ', for all projects' : '';
    const sentence = `${quoteIfNeeded(id)} is disabled in the ${scope} config, ${formatLocation(source.file, 0)}${reach}.`;
    return printResult(request, { action: 'disabled', sentence, warnings: effectWarnings(request) });
  }
  if (changed !== undefined) return printAlreadyOff(request);
  if (scope === 'global' || effective === undefined) throw missingError(request);
  const { content, origin } = effective.entry;
  if (content.kind === 'off') return printUnchanged(request, { state: 'off', origin, warnings: [] });
  const { file, line } = origin;
  const fault = checkOwnName(id);
  if (fault !== undefined)
    throw new AppError(
      'USAGE',
      `${quoteIfNeeded(id)} cannot be disabled for this project alone: ${fault}. Disable it in ${formatLocation(file, line)}.`,
    );
  writeEntry(source, id, { entry: OVERRIDE, mayReplace: false, isDryRun });
  trustOverride(request, effective, { action: 'override written', written: OVERRIDE });
}

/** Handles an entry that is already off. An untrusted one has no effect; it becomes trusted if it only disables. */
function printAlreadyOff(request: ToggleRequest): void {
  const untrusted = ineffectiveEntry(request, 'off');
  const effective = request.definitions.chosen.get(request.id);
  if (untrusted !== undefined && !isDisableOnly(untrusted.entry.content))
    throw ineffectiveError(request, { ours: untrusted, state: 'off' });
  if (untrusted !== undefined && effective !== undefined) {
    const written = untrusted.file.servers.find((server) => server.id === request.id)?.value.content;
    trustOverride(request, effective, { action: 'override trusted', written });
  } else
    printUnchanged(request, {
      state: 'off',
      origin: entryToChange(request)?.entry.origin,
      warnings: effectWarnings(request),
    });
}

function trustOverride(
  request: ToggleRequest,
  { entry: { origin } }: Candidate,
  { action, written }: { readonly action: string; readonly written: unknown },
): void {
  const { id, source, context, isDryRun } = request;
  if (!isDryRun && !trustEntry(source, { id, written }, environmentOf(context)))
    throw changedConcurrentlyError(source, id);
  const sentence = `${quoteIfNeeded(id)} is disabled for this project by ${formatLocation(source.file, 0)}; the entry in ${formatLocation(origin.file, origin.line)} is unchanged.`;
  printResult(request, { action, sentence, warnings: [] });
}

function missingError({ id, verb, scope, definitions }: ToggleRequest): AppError {
  const found = definitions.chosen.get(id);
  if (found === undefined) return unknownServer(id, definitions);
  const { content, origin } = found.entry;
  if (verb === 'disable' || content.kind !== 'on') return definedElsewhereError(id, { command: verb, scope, found });
  const { file, line } = origin;
  const message = `${quoteIfNeeded(id)} is not in the ${scope} config, but in ${formatLocation(file, line)}. It is already enabled there.`;
  return new AppError('USAGE', message, { data: { server: id, file, line } });
}

function printResult(
  { id, scope, source, isJson, isDryRun, context }: ToggleRequest,
  {
    action,
    sentence,
    warnings,
  }: { readonly action: string; readonly sentence: string; readonly warnings: readonly string[] },
): void {
  printChange(context.output, {
    isJson,
    isDryRun,
    answer: { action, id, scope, file: source.file },
    sentence,
    warnings: [...warnings, ...explicitFileWarning(environmentOf(context))],
  });
}

/** Reports that nothing had to change. This is not a failure, and nothing was written. */
function printUnchanged(
  { id, scope, source, isJson, context }: ToggleRequest,
  {
    state,
    origin = { ...source, line: 0 },
    warnings,
  }: { readonly state: 'on' | 'off'; readonly origin: Origin | undefined; readonly warnings: readonly string[] },
): void {
  const { file, line, layer } = origin;
  printChange(context.output, {
    isJson,
    answer: { action: 'unchanged', id, scope: layer === 'global' ? layer : scope, file, line, state },
    sentence: `${quoteIfNeeded(id)} is already ${state === 'on' ? 'enabled' : 'disabled'} (${formatLocation(file, line)}).`,
    warnings: [...warnings, ...explicitFileWarning(environmentOf(context))],
  });
}
