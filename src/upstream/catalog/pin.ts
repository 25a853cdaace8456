import { messageOf } from '../../base/errors.ts';
import { trustToolsCommand } from '../../config/next-command.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { PendingTool, PinRecord, PinStore } from '../../config/trust/pin-store.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { DefinitionList } from '../../schema/definitions/definition-list.ts';
import { definitionHash, describeDifference } from '../../schema/differences/difference.ts';

/** Holds back tools of a pinned server that are not what a person has trusted. */
export interface Pin {
  /** Somebody has trusted what it offers, or it cannot be known whether somebody has. */
  isPinned(): boolean;
  /** Undefined when the tool is as it was trusted, else why it is held back. */
  whyQuarantined(tool: Definition): string | undefined;
  /** The server has listed its tools. Those of its first list are trusted as they are. */
  toolsListed(before: DefinitionList | undefined, after: DefinitionList): void;
  /** Somebody may have trusted something meanwhile. */
  reload(): void;
}

export interface PinOptions {
  readonly id: string;
  readonly store: () => PinStore;
  /** As the config has it now. */
  readonly entry: () => ServerEntry;
  /** Files from which this gateway takes its servers: an entry may move from one to another, and its pins with it. */
  readonly files: () => readonly string[];
  readonly warn: (text: string) => void;
}

export function createPin({ id, store, entry, files, warn }: PinOptions): Pin {
  let record: PinRecord | undefined;
  /** Why nothing can be trusted: then nothing is. */
  let storeError: string | undefined;
  /** The file for which it was read. */
  let readFor: string | undefined;
  /** It stands in the store under that file. */
  let isStored = false;
  let warnedAt = Number.NEGATIVE_INFINITY;
  const nextCommand = () => `Run: ${trustToolsCommand(entry())}`;

  const attempt = (work: () => void) => {
    try {
      work();
      storeError = undefined;
    } catch (error) {
      storeError = messageOf(error);
      warn(`${id}: its tools are held back: ${storeError}`);
    }
  };

  const read = () => {
    const { file } = entry().origin;
    if (readFor === file) return;
    readFor = file;
    attempt(() => {
      const own = store().read(file, id);
      // It may have stood in another file of the same gateway.
      record = own ?? store().readFirst(files(), id);
      isStored = own !== undefined;
    });
  };

  const evaluate = (known: PinRecord | undefined, before: DefinitionList | undefined, after: DefinitionList) => {
    const { file } = entry().origin;
    const trusted = known ?? { file, id, tools: hashes(after), pending: {} };
    return { ...trusted, pending: findPending(trusted, before, after) };
  };

  /** A server that changes all the time is not told of all the time. */
  const warnPending = (names: readonly string[]) => {
    if (names.length === 0 || performance.now() - warnedAt < WARN_EVERY_MS) return;
    warnedAt = performance.now();
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    warn(`${id}: held back until you trust them: ${names.slice(0, MAX_NAMED).join(', ')}${more}. ${nextCommand()}`);
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
        // From what is there now: a person may just have trusted something.
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

/** Only a hash is kept of what was trusted: the difference can be told while the trusted definition is still known. */
function describeChange(old: string | undefined, json: string, trusted: string | undefined): string {
  if (trusted === undefined) return 'new';
  const isTrusted = old !== undefined && definitionHash(old) === trusted;
  return (isTrusted ? describeDifference(old, json) : undefined) ?? 'changed since it was trusted';
}

/** A tool may be called like something that every object has. */
function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
