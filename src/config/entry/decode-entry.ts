import type { Dialect } from '../dialects/dialect.ts';
import {
  errorAt,
  readBoolean,
  readMilliseconds,
  readOneOf,
  readOptional,
  readSeconds,
  readStrings,
} from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { HttpSettings, Origin, ServerEntry, StdioSettings } from '../server-entry.ts';
import { decodeTransport, entryLabel } from './decode-transport.ts';

/** A successfully decoded entry. */
export type DecodedEntry =
  | {
      readonly kind: 'on';
      readonly entry: ServerEntry;
      readonly transport: StdioSettings | HttpSettings;
      readonly expandsVariables: boolean;
      readonly sharesSignIn: boolean;
    }
  /** Disabled. Such an entry need not define how to reach the server. */
  | {
      readonly kind: 'off';
      readonly transport: StdioSettings | HttpSettings | undefined;
      readonly expandsVariables: boolean;
      readonly sharesSignIn: boolean;
    };

/** Decodes an entry. Ignores unknown keys, because other programs define many. */
export function decodeEntry(
  value: JsonValue,
  { id, origin, dialect }: { readonly id: string; readonly origin: Origin; readonly dialect: Dialect },
): DecodedEntry {
  const expandsVariables = dialect.expandsVariables || (readOptional(value, readBoolean, 'expand_variables') ?? false);
  const transport = decodeTransport(value, { ...dialect, expandsVariables });
  const entry = { id, origin, ...decodeCommon(value), expandsVariables };
  const { sharesSignIn } = entry;
  if (isDisabled(value)) return { kind: 'off', transport, expandsVariables, sharesSignIn };
  if (transport !== undefined)
    return { kind: 'on', entry: { ...entry, transport }, transport, expandsVariables, sharesSignIn };
  throw errorAt(value, `${entryLabel(value)} needs "command", the program to start, or "url".`);
}

function decodeCommon(entry: JsonValue): Omit<ServerEntry, 'id' | 'origin' | 'transport' | 'expandsVariables'> {
  return {
    tools: {
      allow: readOptional(entry, readStrings, 'enabled_tools', 'enabledTools', 'includeTools', 'allowedTools'),
      deny: readOptional(entry, readStrings, 'disabled_tools', 'disabledTools', 'excludeTools') ?? [],
    },
    startupTimeoutMs:
      readOptional(entry, readMilliseconds, 'startup_timeout_ms') ??
      readOptional(entry, readSeconds, 'startup_timeout_sec'),
    requestTimeoutMs:
      readOptional(entry, readMilliseconds, 'request_timeout_ms') ??
      readOptional(entry, readSeconds, 'tool_timeout_sec') ??
      readOptional(entry, readMilliseconds, 'timeout'),
    start: readOptional(entry, readStart, 'start') ?? 'eager',
    pin: readOptional(entry, readBoolean, 'pin') ?? false,
    sharesSignIn: readOptional(entry, readBoolean, 'shareSignIn') ?? false,
    restart: readOptional(entry, readRestart, 'restart') ?? 'overlap',
    share: readOptional(entry, readShare, 'share') ?? 'folder',
  };
}

function readStart(value: JsonValue): ServerEntry['start'] {
  return readOneOf(value, ['eager', 'lazy']);
}

function readRestart(value: JsonValue): ServerEntry['restart'] {
  return readOneOf(value, ['overlap', 'stop-first']);
}

function readShare(value: JsonValue): ServerEntry['share'] {
  return readOneOf(value, ['client', 'folder', 'user']);
}

/** Returns whether either key disables the entry. If the keys contradict each other, off is the safer reading. */
function isDisabled(entry: JsonValue): boolean {
  return readOptional(entry, readBoolean, 'enabled') === false || readOptional(entry, readBoolean, 'disabled') === true;
}
