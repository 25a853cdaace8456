import { isObject } from '../../wire/messages.ts';
import type { ConfigFile, FileEntry } from '../files/config-file.ts';
import { elementsOf, formatJsonPath, type JsonValue, lineOf, membersOf } from '../json/json-value.ts';
import { formatArgument, formatUrl, formatValue, maskSecret } from '../secrets/masked-value.ts';
import type { Layer, Origin } from '../server-entry.ts';
import { URL_KEYS } from './decode-transport.ts';
import { type EntryKey, entryKeys } from './entry-keys.ts';

/** The settings that one entry contains and omits. All texts are safe to display. */
export interface ExplainedKeys {
  /** Settings that the entry contains and that take effect. */
  readonly values: readonly ExplainedValue[];
  /** Settings that the entry omits. */
  readonly defaults: readonly { readonly key: string; readonly shown: string }[];
}

interface ExplainedValue {
  /** Path inside the entry: `args[0]`, `env.TOKEN`. */
  readonly key: string;
  /** Omits the values of variables and headers, and other secrets. Keeps a `${NAME}` in their place. */
  readonly shown: string;
  readonly file: string;
  readonly line: number;
  readonly layer: Layer;
}

/** Explains an entry of this file, key by key. */
export function explainKeys(file: ConfigFile, entry: FileEntry): ExplainedKeys {
  const { origin, content } = entry;
  // If a name occurs twice, this shows the first entry. The duplicate is reported elsewhere.
  const written = file.servers.find(({ id }) => id === entry.id)?.value;
  const members = written === undefined ? new Map<string, JsonValue>() : membersByKey(written);
  const kind = content.kind === 'broken' ? undefined : content.transport?.kind;
  const keys = entryKeys(origin).filter(
    ({ transport }) => kind === undefined || transport === 'any' || transport === kind,
  );
  const findValue = ({ names }: EntryKey) =>
    names.map((name) => members.get(name)).find((value) => value !== undefined);
  return {
    values: keys.flatMap((key) => {
      const value = findValue(key);
      return value === undefined ? [] : explainValue(value, key, origin);
    }),
    defaults: keys.flatMap((key) => {
      const [name = ''] = key.names;
      // Without a transport, it is unknown which of its settings are missing.
      const isUncertain = kind === undefined && key.transport !== 'any';
      const isSetByDisabled = name === 'enabled' && members.has('disabled');
      if (findValue(key) !== undefined || isUncertain || isSetByDisabled) return [];
      return key.defaultText === undefined ? [] : [{ key: name, shown: key.defaultText }];
    }),
  };
}

/** Indexes the members by key. The last of several with the same key wins, as everywhere; `null` counts as absent. */
function membersByKey(value: JsonValue): ReadonlyMap<string, JsonValue> {
  if (!isObject(value.content)) return new Map();
  const members = membersOf(value).filter((member) => member.value.content !== null);
  return new Map(members.map((member) => [member.key, member.value]));
}

function explainValue(value: JsonValue, key: EntryKey, { file, layer }: Origin): readonly ExplainedValue[] {
  return partsOf(value).map((part) => ({
    key: pathInEntry(value, part.value),
    shown: isEmpty(part.value.content) ? formatValue(part.value.content) : formatPart(part, key),
    ...{ file, line: lineOf(part.value), layer },
  }));
}

interface Part {
  readonly value: JsonValue;
  /** The key, if the part belongs to an object. */
  readonly name: string | undefined;
  /** The preceding element, if the part belongs to a list. */
  readonly before: unknown;
}

/** Splits a list or an object into its elements; any other value is a single part. */
function partsOf(value: JsonValue): readonly Part[] {
  const { content } = value;
  if (isEmpty(content)) return [{ value, name: undefined, before: undefined }];
  if (isObject(content))
    return [...membersByKey(value)].map(([name, part]) => ({ value: part, name, before: undefined }));
  if (!Array.isArray(content)) return [{ value, name: undefined, before: undefined }];
  return elementsOf(value).map((part, index) => ({ value: part, name: undefined, before: content[index - 1] }));
}

function isEmpty(content: unknown): boolean {
  if (Array.isArray(content)) return content.length === 0;
  return isObject(content) && Object.keys(content).length === 0;
}

/** Returns the path of `part` from its entry. The first argument is the setting, a direct member of the entry. */
function pathInEntry({ position: settingPosition }: JsonValue, part: JsonValue): string {
  const outer = settingPosition.kind === 'inside' ? formatJsonPath(settingPosition.parent) : '';
  return formatJsonPath(part).slice(outer.length).replace(/^\./, '');
}

function formatPart({ value: { content }, name, before }: Part, { names }: EntryKey): string {
  switch (names[0]) {
    case 'env':
    case 'headers':
      return maskSecret(content);
    case 'oauth':
      return name !== undefined && OPEN_OAUTH_KEY.test(name) ? formatUrl(content) : maskSecret(content);
    case 'command':
    case 'args':
      return formatArgument(content, before);
    case URL_KEYS[0]:
      return formatUrl(content);
    default:
      return formatValue(content);
  }
}

const OPEN_OAUTH_KEY = /^(?:(?:authorization|token|registration)_?url|client_?id|client_secret_env|scopes?)$/i;
