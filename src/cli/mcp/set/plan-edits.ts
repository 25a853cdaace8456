import { URL_KEYS } from '../../../config/entry/decode-transport.ts';
import { serverCommand } from '../../../config/next-command.ts';
import type { EntryEdit } from '../../../config/write/edit-entry.ts';
import type { WrittenEntry } from '../../../config/write/write-entry.ts';
import { isObject } from '../../../wire/messages.ts';
import { type ArgumentRules, usageError } from '../../arguments/parse-arguments.ts';
import type { Assignment } from './parse-assignments.ts';
import type { Setting } from './setting-keys.ts';

interface PlanOptions {
  readonly id: string;
  readonly rules: ArgumentRules;
}

/** Plans the edits of `set`. A setting replaces its other spellings, so that no two contradict each other. */
export function planAssignments(
  entry: WrittenEntry,
  assignments: readonly Assignment[],
  options: PlanOptions,
): readonly EntryEdit[] {
  return assignments.flatMap(({ setting, value, isAddition }) => {
    assertApplies(entry, setting, options);
    const { path, otherNames } = setting;
    const written = otherNames.filter((name) => Object.hasOwn(entry, name));
    const before = [...path.slice(0, 1), ...written].map((name) => entry[name]).find(Array.isArray) ?? [];
    // A member of a map keeps the spelling of the map that is there.
    const [map = ''] = written;
    if (path.length > 1 && map !== '' && !Object.hasOwn(entry, path[0] ?? ''))
      return [{ path: [map, ...path.slice(1)], value }];
    return [
      ...written.map((name) => ({ path: [name] })),
      { path, value: isAddition && Array.isArray(value) ? [...before, ...value] : value },
    ];
  });
}

/** Plans the edits of `unset`. Removes a map with its last member. */
export function planRemovals(
  entry: WrittenEntry,
  settings: readonly Setting[],
  options: PlanOptions,
): readonly EntryEdit[] {
  const paths = settings.map((setting) => writtenPath(entry, setting, options));
  return paths.flatMap((path) => {
    const [name = '', member] = path;
    const members = entry[name];
    if (member === undefined || !isObject(members)) return [{ path }];
    const removed = paths.flatMap(([other, one]) => (other === name && one !== undefined ? [one] : []));
    const isEmptied = Object.keys(members).every((key) => removed.includes(key));
    return isEmptied && removed.at(-1) === member ? [{ path }, { path: [name] }] : [{ path }];
  });
}

function writtenPath(entry: WrittenEntry, { key, path, otherNames }: Setting, options: PlanOptions): readonly string[] {
  const [name = '', member] = path;
  const found = [name, ...otherNames].find((one) => Object.hasOwn(entry, one));
  const members = found === undefined ? undefined : entry[found];
  const isThere = member === undefined ? found !== undefined : isObject(members) && Object.hasOwn(members, member);
  if (found === undefined || !isThere) throw usageError(options.rules, `${options.id} has no setting ${key}.`);
  return member === undefined ? [found] : [found, member];
}

function assertApplies(entry: WrittenEntry, { key, transport }: Setting, { id, rules }: PlanOptions): void {
  const kind = kindOf(entry);
  if (transport === 'any' || kind === undefined || transport === kind) return;
  const kinds = { stdio: 'stdio', http: 'HTTP' } as const;
  const next = serverCommand('mcp add', id, ' --replace');
  throw usageError(
    rules,
    `${key} applies only to ${kinds[transport]} servers, and ${id} is not one. To replace the whole entry, use ${next}.`,
  );
}

function kindOf(entry: WrittenEntry): 'stdio' | 'http' | undefined {
  if (Object.hasOwn(entry, 'command')) return 'stdio';
  return URL_KEYS.some((name) => Object.hasOwn(entry, name)) ? 'http' : undefined;
}
