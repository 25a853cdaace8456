import { type Definition, withKey } from '../../schema/definitions/definition.ts';
import { applyProfile } from '../../schema/profiles/apply-profile.ts';
import type { Profile } from '../../schema/profiles/profile.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { type Member, whyHidden } from '../servers/gateway-server.ts';
import type { NameTable } from './naming-scheme.ts';

/** What is told about a thing that is not offered as its server listed it. */
export interface Remark {
  readonly name: string;
  readonly text: string;
}

/** One thing of one server, as clients are to see it. */
export interface Shown {
  readonly name: string;
  readonly definition: Definition;
  readonly json: string;
}

export interface ViewOptions {
  readonly nameTable: NameTable;
  readonly profile: Profile;
}

/** A server's list of one kind under the names that clients use. It depends on that server alone. */
export interface MemberView {
  readonly shown: readonly Shown[];
  readonly remarks: readonly Remark[];
}

export function viewMember(member: Member, kind: ListKind, { nameTable, profile }: ViewOptions): MemberView {
  const remarks: Remark[] = [];
  const visible = member.catalog.list(kind).items.filter((definition) => {
    const why = kind === 'tools' ? whyHidden(member, definition) : undefined;
    if (why !== undefined) remarks.push({ name: definition.key, text: why });
    return why === undefined;
  });
  const keys = visible.map(({ key }) => key);
  const names = nameTable(kind, member.upstream.id, keys, profile.maxNameLength);
  const shown = visible.map((definition) => {
    const { name, reason } = names.get(definition.key) ?? { name: definition.key };
    if (reason !== undefined) remarks.push({ name: definition.key, text: `listed as ${name}: ${reason}` });
    return show(kind === 'tools' ? applyProfile(profile, definition).definition : definition, name);
  });
  return { shown, remarks };
}

/** The same thing under another name. */
export function show(definition: Definition, name: string): Shown {
  return { name, definition, json: name === definition.key ? definition.json : withKey(definition, name) };
}
