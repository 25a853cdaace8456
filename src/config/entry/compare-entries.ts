import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isProjectLayer, projectFolder } from '../files/sources.ts';
import type { ServerEntry } from '../server-entry.ts';

/**
 * Returns what a changed entry means for the running server: nothing, new settings, or a different server. The entry's
 * position in its file does not count as a change.
 */
export function compareEntries(before: ServerEntry, after: ServerEntry): 'same' | 'settings' | 'server' {
  const isSameServer = isDeepStrictEqual(serverInputs(before), serverInputs(after));
  // Which clients share a process cannot change while it runs.
  if (!isSameServer || before.share !== after.share) return 'server';
  return isDeepStrictEqual(liveSettings(before), liveSettings(after)) ? 'same' : 'settings';
}

/** Returns everything that the running server depends on. */
export function serverInputs(entry: ServerEntry): readonly unknown[] {
  return [entry.id, entry.transport, entry.expandsVariables, baseFolder(entry)];
}

/** Returns the folder of the entry if the server runs there or `cwd` is relative to it: the file may have moved. */
function baseFolder({ origin, transport }: ServerEntry): string | undefined {
  if (transport.kind === 'http') return undefined;
  const { cwd } = transport;
  if (cwd === undefined) return isProjectLayer(origin) ? projectFolder(origin) : undefined;
  return isAbsolute(cwd) || /^~(?:[/\\]|$)/.test(cwd) ? undefined : projectFolder(origin);
}

/** Returns the settings that the gateway itself applies and can change while the server runs. */
function liveSettings({
  tools,
  startupTimeoutMs,
  requestTimeoutMs,
  start,
  pin,
  sharesSignIn,
  restart,
}: ServerEntry): readonly unknown[] {
  return [tools, startupTimeoutMs, requestTimeoutMs, start, pin, sharesSignIn, restart];
}
