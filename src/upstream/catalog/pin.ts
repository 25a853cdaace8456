import { messageOf } from '../../base/errors.ts';
import { trustToolsCommand } from '../../config/next-command.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { PendingTool, PinRecord, PinStore } from '../../config/trust/pin-store.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { DefinitionList } from '../../schema/definitions/definition-list.ts';
import { definitionHash, describeDifference } from '../../schema/differences/difference.ts';

/** Quarantines the tools of a pinned server that differ from those the user trusted. */
export interface Pin {
  /** Returns true if the user has trusted this server's tools, or if the pin store cannot be read. */
  isPinned(): boolean;
  /** Returns why the tool is quarantined; undefined if it is unchanged since the user trusted it. */
  whyQuarantined(tool: Definition): string | undefined;
  /** Called when the server has listed its tools. The tools of its first list are trusted as they are. */
  toolsListed(before: DefinitionList | undefined, after: DefinitionList): void;
  /** Reads the store again, because the user may have trusted tools meanwhile. */
  reload(): void;
}

export interface PinOptions {
  readonly id: string;
  readonly store: () => PinStore;
  /** Returns the current config entry. */
  readonly entry: () => ServerEntry;
  /** Config files of this gateway. An entry may move from one to another, and its pins move with it. */
  readonly files: () => readonly string[];
  readonly warn: (text: string) => void;
}

export function createPin({ id, store, entry, files, warn }: PinOptions): Pin {
  let record: PinRecord | undefined;
  /** Error of the pin store. While it is set, all tools are quarantined. */
  let storeError: string | undefined;
  /** The config file for which `record` was read. */
  let readFor: string | undefined;
  /** The store holds the record under that file. */
  let isStored = false;
  let warnedAt = Number.NEGATIVE_INFINITY;
  const nextCommand = () => `Run: ${trustToolsCommand(entry())}`;

  const attempt = (work: () => void) => {
    try {
      work();
      storeError = undefined;
    } catch (error) {
      storeError = messageOf(error);
      warn(`${id}: its tools are quarantined: ${storeError}`);
    }
  };

  const read = () => {
    const { file } = entry().origin;
    if (readFor === file) return;
    readFor = file;
    attempt(() => {
      const own = store().read(file, id);
      // The entry may have moved here from another file of the same gateway.
      record = own ?? store().readFirst(files(), id);
      isStored = own !== undefined;
    });
  };

  const evaluate = (known: PinRecord | undefined, before: DefinitionList | undefined, after: DefinitionList) => {
    const { file } = entry().origin;
    const trusted = known ?? { file, id, tools: hashes(after), pending: {} };
    return { ...trusted, pending: findPending(trusted, before, after) };
  };

  /** Rate-limits the warning for servers whose tools change constantly. */
  const warnPending = (names: readonly string[]) => {
    if (names.length === 0 || performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    warn(`${id}: quarantined until you trust them: ${names.slice(0, MAX_NAMED).join(', ')}${more}. ${nextCommand()}`);
  };

  return {
    isPinned() {
      read();
      return record !== undefined || storeError !== undefined;
    },
    whyQuarantined({ key, json }) {
      read();
      if (storeError !== undefined) return `quarantined: ${storeError}`;
      if (record === undefined) return undefined;
      const trusted = ownValue(record.tools, key);
      if (trusted === definitionHash(json)) return undefined;
      return `quarantined: ${trusted === undefined ? 'it is new' : 'it changed since it was trusted'}. ${nextCommand()}`;
    },
    toolsListed(before, after) {
      read();
      if (storeError !== undefined) return;
      const { pending } = evaluate(record, before, after);
      if (isStored && JSON.stringify(pending) === JSON.stringify(record?.pending)) return;
      attempt(() => {
        // Start from the stored record: the user may have just trusted a tool.
        record = store().update(entry().origin.file, id, (known) => evaluate(known ?? record, before, after));
        isStored = true;
      });
      warnPending(Object.keys(pending));
    },
    reload() {
      readFor = undefined;
      storeError = undefined;
    },
  };
}

const WARN_EVERY_MS = 10_000;
const MAX_NAMED = 10;

function hashes({ items }: DefinitionList): PinRecord['tools'] {
  return Object.fromEntries(items.map(({ key, json }) => [key, definitionHash(json)]));
}

function findPending(
  { tools, pending }: PinRecord,
  before: DefinitionList | undefined,
  after: DefinitionList,
): PinRecord['pending'] {
  const known = new Map(before?.items.map(({ key, json }) => [key, json]));
  const found: [string, PendingTool][] = [];
  for (const { key, json } of after.items) {
    const hash = definitionHash(json);
    const trusted = ownValue(tools, key);
    if (trusted === hash) continue;
    const recorded = ownValue(pending, key);
    const difference = recorded?.hash === hash ? recorded.difference : describeChange(known.get(key), json, trusted);
    found.push([key, { hash, difference }]);
  }
  return Object.fromEntries(found);
}

/**
 * Describes a change. The store keeps only a hash of the trusted definition, so a detailed difference is available only
 * while the old definition is known.
 */
function describeChange(old: string | undefined, json: string, trusted: string | undefined): string {
  if (trusted === undefined) return 'new';
  const isTrusted = old !== undefined && definitionHash(old) === trusted;
  return (isTrusted ? describeDifference(old, json) : undefined) ?? 'changed since it was trusted';
}

/** Looks up own properties only: a tool may be named like a member of `Object.prototype`. */
function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
