import type { Redact } from '../../base/redaction/redact.ts';
import { redactJson } from '../../base/redaction/redact-json.ts';
import type { Definition, Quarantined } from '../../schema/definitions/definition.ts';
import { findMemberValues } from '../../schema/json/text-members.ts';
import { applyProfile } from '../../schema/profiles/apply-profile.ts';
import type { Profile, Rewrite } from '../../schema/profiles/profile.ts';
import { plainNames, prefixedNames } from '../catalog/naming-scheme.ts';
import { type GatewayServer, whyHidden } from '../servers/gateway-server.ts';
import type { StatusSources } from './server-status.ts';

/** What became of the tools of one server on their way to a client, and why. Texts are as the server wrote them. */
export interface ExplainedTools {
  readonly listed: ListedWhen;
  readonly tools: readonly ExplainedTool[];
  /** Definitions that cannot be offered to anybody. */
  readonly leftOut: readonly Pick<Quarantined, 'name' | 'reason'>[];
  /** Servers that come first, and could have the same names: nobody knows theirs. */
  readonly unlistedServers: readonly string[];
}

/** From when the list is. `partly`: the server was asked just now, and something went wrong. */
export type ListedWhen = 'now' | 'partly' | 'earlier' | 'never';

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
  const { servers } = sources;
  const at = servers.findIndex(({ upstream }) => upstream.id === options.serverId);
  const server = servers[at];
  if (server === undefined) return undefined;
  const { items, quarantined } = server.catalog.list('tools');
  const unlistedServers = servers.slice(0, at).filter(({ catalog }) => !catalog.isKnown('tools'));
  const nameOf = createToolNaming(server, items, options);
  return {
    listed: whenListed(server),
    tools: items.map((tool) => explainTool(tool, { member: server, nameOf, sources, options })),
    leftOut: quarantined,
    unlistedServers: options.hasPrefix ? [] : unlistedServers.map(({ entry }) => entry.id),
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
    before: redactJson(before, mask),
    after: redactJson(after, mask),
  };
}

function whenListed({ catalog }: GatewayServer): ListedWhen {
  if (!catalog.isListed('tools')) return catalog.isKnown('tools') ? 'earlier' : 'never';
  // The lists of other kinds may have their own problems.
  return catalog.problem('tools') === undefined ? 'now' : 'partly';
}

type Naming = (tool: Definition) => { readonly name: string; readonly reason?: string };

/** Tools that are hidden have no part in the names of the others. */
function createToolNaming(
  server: GatewayServer,
  tools: readonly Definition[],
  { hasPrefix, profile }: ExplainOptions,
): Naming {
  const nameTable = hasPrefix ? prefixedNames : plainNames;
  const name = (keys: readonly string[]) => nameTable('tools', server.upstream.id, keys, profile.maxNameLength);
  const publicNames = name(tools.filter((tool) => whyHidden(server, tool) === undefined).map(({ key }) => key));
  return ({ key }) => publicNames.get(key) ?? name([key]).get(key) ?? { name: key };
}

interface ExplainContext {
  readonly member: GatewayServer;
  readonly nameOf: Naming;
  readonly sources: StatusSources;
  readonly options: ExplainOptions;
}

function explainTool(tool: Definition, { member: server, nameOf, sources, options }: ExplainContext): ExplainedTool {
  const { name, reason } = nameOf(tool);
  const hidden = whyHidden(server, tool) ?? nameOwnerReason(name, server, sources);
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

function nameOwnerReason(name: string, server: GatewayServer, { catalog }: StatusSources): string | undefined {
  const first = catalog.find('tools', name)?.server;
  return first === undefined || first === server ? undefined : `hidden: ${first.upstream.id} has ${name} before it`;
}

/** Of a schema that is written twice, the one that counts. */
function schemaOf({ json }: Definition): string {
  const last = findMemberValues(json, 'inputSchema').at(-1);
  return last === undefined ? '{}' : json.slice(last.start, last.end);
}
