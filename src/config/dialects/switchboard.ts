import { isObject } from '../../wire/messages.ts';
import { checkOwnName } from '../entry/entry-name.ts';
import { errorAt, pick, pickUnique, readObject } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { Dialect } from './dialect.ts';
import { readKeyedServers } from './keyed.ts';

/** `{ "version": 1, "mcp": { "servers": { … } } }`: our own config. */
export const switchboardDialect: Dialect = {
  name: 'switchboard',
  expandsVariables: false,
  transports: { stdio: 'stdio', http: 'http' },
  checkName: checkOwnName,
  matches: ({ content }) => isObject(content) && Object.hasOwn(content, 'mcp') && mayHoldServers(content['mcp']),
  readServers: (root) => {
    checkVersion(root);
    const mcp = pickUnique(root, 'mcp');
    return mcp === undefined ? refuseOtherShapes(root) : readKeyedServers(pickUnique(mcp, 'servers'));
  },
};

/**
 * Returns whether `mcp` can be ours. Other programs use that key too: Gemini CLI for its rules, opencode for the
 * servers themselves.
 */
function mayHoldServers(mcp: unknown): boolean {
  return !isObject(mcp) || Object.hasOwn(mcp, 'servers') || Object.keys(mcp).length === 0;
}

const VERSION = 1;

/** Throws for an unsupported version. A file without a version counts as version 1. */
function checkVersion(root: JsonValue): void {
  const value = pick(root, 'version');
  const version = value?.content;
  if (value === undefined || version === VERSION) return;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < VERSION)
    throw errorAt(value, `version must be the number ${VERSION}.`);
  throw errorAt(
    value,
    `This is version ${version}, but this Switchboard supports only ${VERSION}. Update Switchboard.`,
  );
}

/**
 * Throws if servers are under a key of another format, where they would be ignored silently. No servers at all is
 * valid.
 */
function refuseOtherShapes(root: JsonValue): readonly [] {
  const object = readObject(root);
  const misplaced = ['mcpServers', 'mcp_servers', 'servers', 'command'].find((key) => Object.hasOwn(object, key));
  if (misplaced === undefined) return [];
  throw errorAt(
    root,
    `"${misplaced}" belongs in a .mcp.json. In this file, put servers under "mcp": { "servers": … }.`,
  );
}
