import { readFileSync, statSync } from 'node:fs';
import { commandName } from '../../config/entry/entry-name.ts';
import type { Environment } from '../../config/files/folders.ts';
import { findSources } from '../../config/files/sources.ts';
import { blankComments } from '../../config/json/comments.ts';
import { isObject } from '../../wire/messages.ts';
import { isCompletableName } from './known-names.ts';

/**
 * Returns the ids of all configured servers, highest precedence first, without duplicates. Skips trust and validity
 * checks, because it reads only names. Never throws: an unreadable file has no ids. Much faster than loading the
 * config, because it tracks no source positions.
 */
export function readConfiguredIds(environment: Environment, explicitFile?: string): readonly string[] {
  const explicitFiles = explicitFile === undefined ? [] : [explicitFile];
  const ids = findSources(environment, explicitFiles).flatMap(({ file, isSwitchboardFile }) => {
    const content = parseFile(file, isSwitchboardFile);
    return isSwitchboardFile ? ownIds(content) : foreignIds(content);
  });
  return [...new Set(ids)].filter(isCompletableName);
}

/** Returns the names of all views in our own dialect, in the same way. */
export function readViewNames(environment: Environment, explicitFile?: string): readonly string[] {
  const explicitFiles = explicitFile === undefined ? [] : [explicitFile];
  const names = findSources(environment, explicitFiles).flatMap(({ file, isSwitchboardFile, layer }) => {
    const content = isSwitchboardFile || layer === 'explicit' ? parseFile(file, isSwitchboardFile) : undefined;
    return isObject(content) ? keysOf(content['views']) : [];
  });
  return [...new Set(names)].filter(isCompletableName);
}

const MAX_BYTES = 1024 * 1024;

function parseFile(file: string, isSwitchboardFile: boolean): unknown {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    // Checked before opening: reading a named pipe would block forever.
    if (stats === undefined || !stats.isFile() || stats.size > MAX_BYTES) return undefined;
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    return JSON.parse(isSwitchboardFile ? blankComments(text) : text);
  } catch {
    // The commands that use the file report the fault.
    return undefined;
  }
}

function ownIds(content: unknown): readonly string[] {
  const mcp = isObject(content) ? content['mcp'] : undefined;
  return isObject(mcp) ? keysOf(mcp['servers']) : [];
}

/** Handles the formats of `dialects`, in their order. */
function foreignIds(content: unknown): readonly string[] {
  if (Array.isArray(content)) return content.flatMap(inferredId);
  if (!isObject(content)) return [];
  const frame = ['mcpServers', 'mcp_servers', 'servers'].find((key) => Object.hasOwn(content, key));
  if (frame !== undefined) return keysOf(content[frame]);
  return Object.hasOwn(content, 'mcp') ? ownIds(content) : inferredId(content);
}

function keysOf(servers: unknown): readonly string[] {
  return isObject(servers) ? Object.keys(servers) : [];
}

/** Infers the id as `inferName` does. */
function inferredId(server: unknown): readonly string[] {
  if (!isObject(server)) return [];
  const { name, command } = server;
  if (typeof name === 'string') return [name];
  if (typeof command === 'string') return [commandName(command)];
  const url = ['httpUrl', 'url', 'serverUrl'].map((key) => server[key]).find((value) => typeof value === 'string');
  return typeof url === 'string' && URL.canParse(url) ? [new URL(url).hostname] : [];
}
