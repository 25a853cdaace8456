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

/** A tool, prompt or resource of one server as clients see it. */
export interface PublicItem {
  readonly name: string;
  readonly definition: Definition;
  readonly json: string;
}

export interface PublicListOptions {
  readonly namingScheme: NamingScheme;
  readonly profile: Profile;
}

/** A server's list of one kind under the names that clients see. It depends only on that server. */
export interface PublicList {
  readonly items: readonly PublicItem[];
  readonly remarks: readonly Remark[];
}

export function toPublicList(
  server: GatewayServer,
  kind: ListKind,
  { namingScheme, profile }: PublicListOptions,
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
    return toPublicItem(kind === 'tools' ? applyProfile(profile, definition).definition : definition, name);
  });
  return { items, remarks };
}

/** Returns the definition under the given public name. */
export function toPublicItem(definition: Definition, name: string): PublicItem {
  return { name, definition, json: name === definition.key ? definition.json : withKey(definition, name) };
}
