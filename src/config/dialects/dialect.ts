import type { JsonValue } from '../json/json-value.ts';

/**
 * A config file format. To add one, create a file in this folder and list it in `registry.ts`; the contract test covers
 * every listed dialect.
 */
export interface Dialect {
  /** Must never change, because trust fingerprints include it. */
  readonly name: string;
  /** Whether values may reference variables as `${VAR}` and `${VAR:-default}`. */
  readonly expandsVariables: boolean;
  /** Accepted values of `type` or `transport`, each with the transport that it selects. */
  readonly transports: Readonly<Record<string, 'stdio' | 'http'>>;
  /** Returns why a name is invalid; undefined for a valid one. */
  checkName(name: string): string | undefined;
  /** Returns whether a file has this format. Only objects and lists match. */
  matches(root: JsonValue): boolean;
  /** Returns the servers in file order, duplicates included. Throws if the structure around the servers is invalid. */
  readServers(root: JsonValue): readonly RawServer[];
}

/** One server of a file, not validated yet. */
export interface RawServer {
  /** Undefined if the file gives no name and none can be inferred. */
  readonly id: string | undefined;
  readonly line: number;
  readonly value: JsonValue;
}

/** Transport names that other programs use. */
export const FOREIGN_TRANSPORTS = {
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  streamableHttp: 'http',
  sse: 'http',
  remote: 'http',
} as const;
