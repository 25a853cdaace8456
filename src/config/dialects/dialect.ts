import type { JsonValue } from '../json/json-value.ts';

/** One shape of a config file. A new one is a file in this folder and a line in `all.ts`; the contract test runs it too. */
export interface Dialect {
  /** Trust is bound to it: the name of a dialect never changes. */
  readonly name: string;
  /** Whether `${VAR}` and `${VAR:-default}` stand for variables. */
  readonly expandsVariables: boolean;
  /** Which words `type` or `transport` may have, and what they mean. */
  readonly transports: Readonly<Record<string, 'stdio' | 'http'>>;
  /** What is wrong with a name, or undefined. */
  checkName(name: string): string | undefined;
  /** Whether a file has this shape; its top value is an object or a list. */
  matches(root: JsonValue): boolean;
  /** In the order of the file, repeated ones included. Throws when the frame around the servers is broken. */
  readServers(root: JsonValue): readonly RawServer[];
}

/** One server of a file, before anything of it was looked at. */
export interface RawServer {
  /** Undefined when the file gives it none and nothing else could serve as one. */
  readonly id: string | undefined;
  readonly line: number;
  readonly value: JsonValue;
}

/** The words that other programs use. */
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
