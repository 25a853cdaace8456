import { type Definition, withKey } from '../schema/definition.ts';
import type { UpstreamCatalog } from '../upstream/catalog.ts';
import type { ListKind } from '../upstream/listing.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { NameTable } from './name-table.ts';

/** One server behind the gateway: its connection and what it offers. */
export interface Member {
  readonly upstream: Upstream;
  readonly catalog: UpstreamCatalog;
  /** What the config says of its tools: undefined when a tool may be used, else why not. */
  readonly whyHidden: (toolName: string) => string | undefined;
}

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

/** A server's list of one kind under the names that clients use. It depends on that server alone. */
export interface MemberView {
  readonly shown: readonly Shown[];
  readonly remarks: readonly Remark[];
}

export function viewMember(member: Member, kind: ListKind, nameTable: NameTable): MemberView {
  const remarks: Remark[] = [];
  const visible = member.catalog.list(kind).items.filter(({ key }) => {
    const why = kind === 'tools' ? member.whyHidden(key) : undefined;
    if (why !== undefined) remarks.push({ name: key, text: why });
    return why === undefined;
  });
  const keys = visible.map(({ key }) => key);
  const names = nameTable(kind, member.upstream.id, keys);
  const shown = visible.map((definition) => {
    const { name, reason } = names.get(definition.key) ?? { name: definition.key };
    if (reason !== undefined) remarks.push({ name: definition.key, text: `listed as ${name}: ${reason}` });
    return show(definition, name);
  });
  return { shown, remarks };
}

/** The same thing under another name. */
export function show(definition: Definition, name: string): Shown {
  return { name, definition, json: name === definition.key ? definition.json : withKey(definition, name) };
}
