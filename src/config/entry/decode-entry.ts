import type { Dialect } from '../dialects/dialect.ts';
import { faultAt, readBoolean, readMilliseconds, readSeconds, readStrings, readWord, take } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { HttpSettings, Origin, ServerEntry, StdioSettings } from '../server-entry.ts';
import { decodeTransport, nameOf } from './decode-transport.ts';

/** What an entry says, once it was understood. */
export type Described =
  | { readonly kind: 'on'; readonly entry: ServerEntry; readonly transport: StdioSettings | HttpSettings }
  /** Switched off. It need not say how the server would be reached: that it is off is all that counts. */
  | { readonly kind: 'off'; readonly transport: StdioSettings | HttpSettings | undefined };

/** Keys that we do not know are ignored: other programs have many. */
export function decodeEntry(
  value: JsonValue,
  { id, origin, dialect }: { readonly id: string; readonly origin: Origin; readonly dialect: Dialect },
): Described {
  const transport = decodeTransport(value, dialect);
  const entry = { id, origin, ...decodeCommon(value), expandsVariables: dialect.expandsVariables };
  if (isSwitchedOff(value)) return { kind: 'off', transport };
  if (transport !== undefined) return { kind: 'on', entry: { ...entry, transport }, transport };
  throw faultAt(value, `${nameOf(value)} needs "command", the program to start, or "url".`);
}

function decodeCommon(entry: JsonValue): Omit<ServerEntry, 'id' | 'origin' | 'transport' | 'expandsVariables'> {
  return {
    tools: {
      allow: take(entry, readStrings, 'enabled_tools', 'enabledTools', 'includeTools', 'allowedTools'),
      deny: take(entry, readStrings, 'disabled_tools', 'disabledTools', 'excludeTools') ?? [],
    },
    startupTimeoutMs:
      take(entry, readMilliseconds, 'startup_timeout_ms') ?? take(entry, readSeconds, 'startup_timeout_sec'),
    requestTimeoutMs:
      take(entry, readMilliseconds, 'request_timeout_ms') ??
      take(entry, readSeconds, 'tool_timeout_sec') ??
      take(entry, readMilliseconds, 'timeout'),
    start: take(entry, readStart, 'start') ?? 'eager',
    pin: take(entry, readBoolean, 'pin') ?? false,
    restart: take(entry, readRestart, 'restart') ?? 'overlap',
  };
}

function readStart(value: JsonValue): ServerEntry['start'] {
  return readWord(value, ['eager', 'lazy']);
}

function readRestart(value: JsonValue): ServerEntry['restart'] {
  return readWord(value, ['overlap', 'stop-first']);
}

/** Either word may say it; where they contradict each other, off is the safer reading. */
function isSwitchedOff(entry: JsonValue): boolean {
  return take(entry, readBoolean, 'enabled') === false || take(entry, readBoolean, 'disabled') === true;
}
