import type { Redact } from '../../base/redaction/redact.ts';
import { maskJson } from '../../base/redaction/redact-json.ts';
import type { Definition, Quarantined } from '../../schema/definitions/definition.ts';
import { findMembers } from '../../schema/json/text-members.ts';
import { applyProfile } from '../../schema/profiles/apply-profile.ts';
import type { Profile, Rewrite } from '../../schema/profiles/profile.ts';
import { plainNames, prefixedNames } from '../catalog/naming-scheme.ts';
import { type Member, whyHidden } from '../servers/gateway-server.ts';
import type { StatusSources } from './server-status.ts';

/** What became of the tools of one server on their way to a client, and why. Texts are as the server wrote them. */
export interface ExplainedTools {
  readonly listed: Listed;
  readonly tools: readonly ExplainedTool[];
  /** Definitions that cannot be offered to anybody. */
  readonly leftOut: readonly Pick<Quarantined, 'name' | 'reason'>[];
  /** Servers that come first, and could have the same names: nobody knows theirs. */
  readonly unheard: readonly string[];
}

/** From when the list is. `partly`: the server was asked just now, and something went wrong. */
export type Listed = 'now' | 'partly' | 'earlier' | 'never';

export interface ExplainedTool {
  /** What the server calls it. */
  readonly name: string;
  /** What clients call it, or would if it were not hidden. */
  readonly publicName: string;
  /** Why that is not simply the server's id and the tool's own name. */
  readonly whyNamedSo?: string;
  /** Why clients do not see it. */
  readonly hidden?: string;
  readonly repairs: readonly string[];
  readonly rewrites: readonly Rewrite[];
  /** The input schema as JSON text: after the repairs, and after the profile. */
  readonly before: string;
  readonly after: string;
}

export interface ExplainOptions {
  readonly serverId: string;
  readonly hasPrefix: boolean;
  /** That of the catalog in the sources. */
  readonly profile: Profile;
}

/** Undefined for a server that is not used: it is switched off, untrusted or broken. */
export function explainTools(sources: StatusSources, options: ExplainOptions): ExplainedTools | undefined {
  const { members } = sources;
  const at = members.findIndex(({ upstream }) => upstream.id === options.serverId);
  const member = members[at];
  if (member === undefined) return undefined;
  const { items, quarantined } = member.catalog.list('tools');
  const unheard = members.slice(0, at).filter(({ catalog }) => !catalog.isKnown('tools'));
  const nameOf = createNaming(member, items, options);
  return {
    listed: whenListed(member),
    tools: items.map((tool) => explainTool(tool, { member, nameOf, sources, options })),
    leftOut: quarantined,
    unheard: options.hasPrefix ? [] : unheard.map(({ entry }) => entry.id),
  };
}

/** The same without the secrets that the server repeats: fit to be shown. */
export function maskTools(explained: ExplainedTools, mask: Redact): ExplainedTools {
  const { tools, leftOut } = explained;
  return {
    ...explained,
    tools: tools.map((tool) => maskTool(tool, mask)),
    leftOut: leftOut.map(({ name, reason }) => ({ name: name && mask(name), reason: mask(reason) })),
  };
}

function maskTool(tool: ExplainedTool, mask: Redact): ExplainedTool {
  const { name, publicName, whyNamedSo, hidden, repairs, rewrites, before, after } = tool;
  return {
    name: mask(name),
    publicName: mask(publicName),
    ...(whyNamedSo === undefined ? {} : { whyNamedSo: mask(whyNamedSo) }),
    ...(hidden === undefined ? {} : { hidden: mask(hidden) }),
    repairs: repairs.map(mask),
    rewrites: rewrites.map((rewrite) => ({ ...rewrite, path: mask(rewrite.path), what: mask(rewrite.what) })),
    before: maskJson(before, mask),
    after: maskJson(after, mask),
  };
}

function whenListed({ catalog }: Member): Listed {
  if (!catalog.isListed('tools')) return catalog.isKnown('tools') ? 'earlier' : 'never';
  // The lists of other kinds may have their own problems.
  return catalog.problem('tools') === undefined ? 'now' : 'partly';
}

type Naming = (tool: Definition) => { readonly name: string; readonly reason?: string };

/** Tools that are hidden have no part in the names of the others. */
function createNaming(member: Member, tools: readonly Definition[], { hasPrefix, profile }: ExplainOptions): Naming {
  const nameTable = hasPrefix ? prefixedNames : plainNames;
  const name = (keys: readonly string[]) => nameTable('tools', member.upstream.id, keys, profile.maxNameLength);
  const shown = name(tools.filter((tool) => whyHidden(member, tool) === undefined).map(({ key }) => key));
  return ({ key }) => shown.get(key) ?? name([key]).get(key) ?? { name: key };
}

interface ToolSurroundings {
  readonly member: Member;
  readonly nameOf: Naming;
  readonly sources: StatusSources;
  readonly options: ExplainOptions;
}

function explainTool(tool: Definition, { member, nameOf, sources, options }: ToolSurroundings): ExplainedTool {
  const { name, reason } = nameOf(tool);
  const hidden = whyHidden(member, tool) ?? whoHasName(name, member, sources);
  const { definition, rewrites } = applyProfile(options.profile, tool);
  return {
    name: tool.key,
    publicName: name,
    ...(reason === undefined ? {} : { whyNamedSo: reason }),
    ...(hidden === undefined ? {} : { hidden }),
    repairs: tool.repairs,
    rewrites,
    before: schemaOf(tool),
    after: schemaOf(definition),
  };
}

function whoHasName(name: string, member: Member, { catalog }: StatusSources): string | undefined {
  const first = catalog.find('tools', name)?.member;
  return first === undefined || first === member ? undefined : `hidden: ${first.upstream.id} has ${name} before it`;
}

/** Of a schema that is written twice, the one that counts. */
function schemaOf({ json }: Definition): string {
  const last = findMembers(json, 'inputSchema').at(-1);
  return last === undefined ? '{}' : json.slice(last.start, last.end);
}
