import { isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isProjectLayer, projectFolder } from '../files/sources.ts';
import type { ServerEntry } from '../server-entry.ts';

/**
 * What a change of an entry means for the server that runs: nothing, other settings for it, or another server.
 * Where the entry stands in its file is no change.
 */
export function compareEntries(before: ServerEntry, after: ServerEntry): 'same' | 'settings' | 'server' {
  if (!isDeepStrictEqual(serverInputs(before), serverInputs(after))) return 'server';
  return isDeepStrictEqual(liveSettings(before), liveSettings(after)) ? 'same' : 'settings';
}

/** All that the running server depends on. */
export function serverInputs(entry: ServerEntry): readonly unknown[] {
  return [entry.id, entry.transport, entry.expandsVariables, baseFolder(entry)];
}

/** The folder of its file, when the server runs there or `cwd` counts from there: the file may have moved. */
function baseFolder({ origin, transport }: ServerEntry): string | undefined {
  if (transport.kind === 'http') return undefined;
  const { cwd } = transport;
  if (cwd === undefined) return isProjectLayer(origin) ? projectFolder(origin) : undefined;
  return isAbsolute(cwd) || /^~(?:[/\\]|$)/.test(cwd) ? undefined : projectFolder(origin);
}

/** What we ourselves go by, and can change while the server runs. */
function liveSettings({
  tools,
  startupTimeoutMs,
  requestTimeoutMs,
  start,
  pin,
  restart,
}: ServerEntry): readonly unknown[] {
  return [tools, startupTimeoutMs, requestTimeoutMs, start, pin, restart];
}
