import { messageOf } from '../base/errors.ts';
import type { PendingTool, PinRecord, PinStore } from '../config/pin-store.ts';
import type { Definition } from '../schema/definition.ts';
import { definitionHash, describeDifference } from '../schema/difference.ts';
import type { DefinitionList } from '../schema/list.ts';

/** Holds back tools of a pinned server that are not what a person has trusted. */
export interface Pin {
  /** Undefined when the tool is as it was trusted, else why it is held back. */
  whyHeld(tool: Definition): string | undefined;
  /** The server has listed its tools. Those of its first list are trusted as they are. */
  listed(before: DefinitionList | undefined, after: DefinitionList): void;
  /** Somebody may have trusted something meanwhile. */
  reread(): void;
}

export interface PinOptions {
  readonly store: () => PinStore;
  readonly serverId: string;
  /** The file in which the server is configured. */
  readonly file: string;
  readonly warn: (text: string) => void;
}

export function createPin({ store, serverId, file, warn }: PinOptions): Pin {
  let record: PinRecord | undefined;
  /** Why nothing can be trusted: then nothing is. */
  let fault: string | undefined;
  let isRead = false;
  const next = `Run: switchboard trust ${serverId}`;

  const attempt = (work: () => void) => {
    try {
      work();
      fault = undefined;
    } catch (error) {
      fault = messageOf(error);
      warn(`${serverId}: its tools are held back: ${fault}`);
    }
  };

  const read = () => {
    if (isRead) return;
    isRead = true;
    attempt(() => {
      record = store().read(file, serverId);
    });
  };

  return {
    whyHeld({ key, json }) {
      read();
      if (fault !== undefined) return `quarantined: ${fault}`;
      if (record === undefined) return undefined;
      const trusted = ownValue(record.tools, key);
      if (trusted === definitionHash(json)) return undefined;
      return `quarantined: ${trusted === undefined ? 'it is new' : 'it changed since it was trusted'}. ${next}`;
    },
    listed(before, after) {
      read();
      if (fault !== undefined) return;
      const judge = (known: PinRecord | undefined): PinRecord => {
        const trusted = known ?? { file, id: serverId, tools: hashes(before ?? after), pending: {} };
        return { ...trusted, pending: findPending(trusted, before, after) };
      };
      const { pending } = judge(record);
      if (record !== undefined && JSON.stringify(pending) === JSON.stringify(record.pending)) return;
      attempt(() => {
        // From what is there now: a person may just have trusted something.
        record = store().update(file, serverId, judge);
      });
      const names = Object.keys(pending);
      if (names.length > 0) warn(`${serverId}: held back until you trust them: ${names.join(', ')}. ${next}`);
    },
    reread() {
      isRead = false;
      fault = undefined;
    },
  };
}

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
    const difference = recorded?.hash === hash ? recorded.difference : tellDifference(known.get(key), json, trusted);
    found.push([key, { hash, difference }]);
  }
  return Object.fromEntries(found);
}

/** Only a hash is kept of what was trusted: the difference can be told while the trusted definition is still known. */
function tellDifference(old: string | undefined, json: string, trusted: string | undefined): string {
  if (trusted === undefined) return 'new';
  const isTrusted = old !== undefined && definitionHash(old) === trusted;
  return (isTrusted ? describeDifference(old, json) : undefined) ?? 'changed since it was trusted';
}

/** A tool may be called like something that every object has. */
function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
