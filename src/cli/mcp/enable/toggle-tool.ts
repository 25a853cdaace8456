import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { serverCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import { findHidingSetting } from '../../../config/tool-filter.ts';
import { type EntryEdit, editEntry } from '../../../config/write/edit-entry.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { usageError } from '../../arguments/parse-arguments.ts';
import { environmentOf } from '../../command-context.ts';
import { readKnownNames } from '../../completion/known-names.ts';
import { printChange } from '../config/change-result.ts';
import { explicitFileWarning, withoutExplicitFile } from '../config/definitions.ts';
import { changedConcurrentlyError } from '../config/entry-errors.ts';
import { keepTrust } from '../config/keep-trust.ts';
import { locateEntry } from '../config/locate-entry.ts';
import { validateEntry } from '../config/validate-entry.ts';
import { parseToolName } from '../servers/tool-name.ts';
import { rulesOf, type ToggleRequest } from './request.ts';

/** A tool to enable or disable. */
export interface ToggledTool {
  readonly server: string;
  readonly tool: string;
}

/** Returns the tool that `<server>.<tool>` names; undefined if the text is the id of a server, or of none. */
export function findToggledTool({ id, definitions }: ToggleRequest): ToggledTool | undefined {
  const ids = definitions.candidates.map(({ entry }) => entry.id);
  const isTool = !ids.includes(id) && ids.some((one) => id.startsWith(`${one}.`) && id.length > one.length + 1);
  return isTool ? parseToolName(id, ids) : undefined;
}

/** Edits `disabled_tools` and `enabled_tools` of the server's entry, so that clients see the tool, or do not. */
export function toggleTool(request: ToggleRequest, { server, tool }: ToggledTool): void {
  const { verb, definitions, context, isJson, isDryRun, isScopeGiven } = request;
  const environment = withoutExplicitFile(environmentOf(context));
  const scopeOption = isScopeGiven ? request.scope : undefined;
  const located = locateEntry(server, { command: verb, scope: scopeOption, definitions, environment });
  const { source, scope, isTrusted } = located;
  const rules = rulesOf(verb);
  const plan = (entry: WrittenEntry) => (verb === 'disable' ? hide(entry, tool) : show(entry, { server, tool, verb }));
  const check = (entry: WrittenEntry) => validateEntry(server, entry, rules);
  const edited = editEntry(source, server, { plan, check, isDryRun });
  if (edited === undefined) throw changedConcurrentlyError(source, server);
  if (!isDryRun && edited.isChanged) keepTrust(server, { source, isTrusted, written: edited.after }, context);
  const state = verb === 'disable' ? 'disabled' : 'enabled';
  const name = quoteIfNeeded(`${server}.${tool}`);
  const where = `the ${scope} config, ${formatLocation(source.file, 0)}`;
  printChange(context.output, {
    isJson,
    isDryRun,
    answer: { action: edited.isChanged ? state : 'unchanged', id: server, tool, scope, file: source.file },
    sentence: edited.isChanged ? `${name} is ${state} in ${where}.` : `${name} is already ${state} (${where}).`,
    warnings: [...unknownToolWarning(request, { server, tool }), ...explicitFileWarning(environmentOf(context))],
  });
}

const ALLOW = ['enabled_tools', 'enabledTools', 'includeTools', 'allowedTools'];
const DENY = ['disabled_tools', 'disabledTools', 'excludeTools'];

interface WrittenList {
  readonly key: string;
  /** Undefined if the entry does not have the list. */
  readonly names: readonly string[] | undefined;
}

function listIn(entry: WrittenEntry, spellings: readonly string[]): WrittenList {
  const [usual = ''] = spellings;
  const key = spellings.find((name) => Object.hasOwn(entry, name)) ?? usual;
  const value = entry[key];
  return { key, names: Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined };
}

function hide(entry: WrittenEntry, tool: string): readonly EntryEdit[] {
  const [allow, deny] = [listIn(entry, ALLOW), listIn(entry, DENY)];
  if (findHidingSetting({ allow: allow.names, deny: deny.names ?? [] }, tool) !== undefined) return [];
  return [{ path: [deny.key], value: [...(deny.names ?? []), tool] }];
}

function show(entry: WrittenEntry, { server, tool, verb }: ToggledTool & Pick<ToggleRequest, 'verb'>) {
  const [allow, deny] = [listIn(entry, ALLOW), listIn(entry, DENY)];
  const denied = (deny.names ?? []).filter((name) => name !== tool);
  const filter = { allow: allow.names, deny: denied };
  if (findHidingSetting(filter, tool) === 'disabled_tools') {
    const pattern = denied.find((name) => findHidingSetting({ allow: undefined, deny: [name] }, tool) !== undefined);
    const next = serverCommand('mcp set', server, ` ${deny.key}=…`);
    const why = `${deny.key} has the pattern ${quoteIfNeeded(pattern ?? '')}, which also hides other tools`;
    throw usageError(
      rulesOf(verb),
      `${quoteIfNeeded(`${server}.${tool}`)} cannot be enabled alone: ${why}. Change it with ${next}.`,
    );
  }
  const edits: EntryEdit[] = [];
  if (denied.length < (deny.names?.length ?? 0))
    edits.push(denied.length === 0 ? { path: [deny.key] } : { path: [deny.key], value: denied });
  if (findHidingSetting(filter, tool) === 'enabled_tools')
    edits.push({ path: [allow.key], value: [...(allow.names ?? []), tool] });
  return edits;
}

/** Warns about a name that is probably misspelled. Servers may offer tools that no list has shown yet. */
function unknownToolWarning({ verb, context }: ToggleRequest, { server, tool }: ToggledTool): readonly string[] {
  const known =
    readKnownNames(environmentOf(context))
      .get(server)
      ?.tools.map(({ name }) => name) ?? [];
  if (verb === 'enable' || known.length === 0 || known.includes(tool)) return [];
  const [near] = nearestNames(tool, known);
  if (near === undefined) return [];
  return [`no tool ${quoteIfNeeded(tool)} was listed so far. Did you mean ${quoteIfNeeded(`${server}.${near}`)}?`];
}
