import { type Definition, withKey } from '../../schema/definitions/definition.ts';
import { applyProfile } from '../../schema/profiles/apply-profile.ts';
import type { Profile } from '../../schema/profiles/profile.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { type GatewayServer, whyHidden } from '../servers/gateway-server.ts';
import type { NamingScheme } from './naming-scheme.ts';

/** Why a tool, prompt or resource is hidden or listed under another name. */
export interface Remark {
  readonly name: string;
  readonly text: string;
}

/** The destination of a request that names a tool, prompt or resource. */
export interface Route {
  readonly server: GatewayServer;
  /** The server's own name or URI for it. */
  readonly key: string;
  readonly definition: Definition;
}

/** A tool, prompt or resource of one server as clients see it. */
export interface PublicItem extends Route {
  readonly name: string;
  readonly json: string;
}

export interface PublicListOptions {
  readonly namingScheme: NamingScheme;
  readonly profile: Profile;
  /** Rewrites the URIs in the definition of a tool. Undefined if URIs stay the same. */
  readonly rewriteToolUris?: ((json: string, serverId: string) => string) | undefined;
}

/** A server's list of one kind under the names that clients see. It depends only on that server. */
export interface PublicList {
  readonly items: readonly PublicItem[];
  readonly remarks: readonly Remark[];
}

export function toPublicList(
  server: GatewayServer,
  kind: ListKind,
  { namingScheme, profile, rewriteToolUris }: PublicListOptions,
): PublicList {
  const remarks: Remark[] = [];
  const visible = server.catalog.list(kind).items.filter((definition) => {
    const why = kind === 'tools' ? whyHidden(server, definition) : undefined;
    if (why !== undefined) remarks.push({ name: definition.key, text: why });
    return why === undefined;
  });
  const keys = visible.map(({ key }) => key);
  const names = namingScheme(kind, server.upstream.id, keys, profile.maxNameLength);
  const items = visible.map((definition) => {
    const { name, reason } = names.get(definition.key) ?? { name: definition.key };
    if (reason !== undefined) remarks.push({ name: definition.key, text: `listed as ${name}: ${reason}` });
    if (kind !== 'tools') return toPublicItem(server, definition, name);
    const item = toPublicItem(server, applyProfile(profile, definition).definition, name);
    return rewriteToolUris === undefined ? item : { ...item, json: rewriteToolUris(item.json, server.upstream.id) };
  });
  return { items, remarks };
}

/** Returns the definition under the given public name. */
export function toPublicItem(server: GatewayServer, definition: Definition, name: string): PublicItem {
  const { key } = definition;
  return { name, server, key, definition, json: name === key ? definition.json : withKey(definition, name) };
}

/** Returns the part of a server's list that a view shows. Names stay the same, because they are chosen before. */
export function filterPublicList(list: PublicList, shows: (key: string) => boolean): PublicList {
  const items = list.items.filter(({ key }) => shows(key));
  const remarks = list.remarks.filter(({ name }) => shows(name));
  return items.length === list.items.length && remarks.length === list.remarks.length ? list : { items, remarks };
}
