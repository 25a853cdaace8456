import type { ListKind } from '../upstream/listing.ts';
import { qualifyNames } from './names.ts';

/** What the things of one server are called towards clients: by the server's own name for each. */
export type NameTable = (
  kind: ListKind,
  serverId: string,
  names: readonly string[],
) => ReadonlyMap<string, { readonly name: string; readonly reason?: string }>;

/** `server__tool`, for tools and prompts. URIs are never rewritten. */
export const prefixedNames: NameTable = (kind, serverId, names) => {
  if (kind === 'resources' || kind === 'resourceTemplates') return new Map();
  return qualifyNames({ serverId, rawNames: names });
};

/** Everything under its own name; of two servers with the same one the first keeps it. */
export const plainNames: NameTable = () => new Map();
