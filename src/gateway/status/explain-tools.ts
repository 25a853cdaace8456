import type { Redact } from '../../base/redaction/redact.ts';
import { redactJson } from '../../base/redaction/redact-json.ts';
import type { Definition, Quarantined } from '../../schema/definitions/definition.ts';
import { applyProfile } from '../../schema/profiles/apply-profile.ts';
import type { Profile, Rewrite } from '../../schema/profiles/profile.ts';
import { findMemberValues } from '../../wire/json/json-text.ts';
import { plainNames, prefixedNames } from '../catalog/naming-scheme.ts';
import { type GatewayServer, whyHidden } from '../servers/gateway-server.ts';
import type { StatusSources } from './server-status.ts';

/** How the tools of one server are presented to clients, and why. Text is as the server wrote it. */
export interface ExplainedTools {
  readonly listed: ListedWhen;
  readonly tools: readonly ExplainedTool[];
  /** Definitions that are quarantined and offered to no client. */
  readonly leftOut: readonly Pick<Quarantined, 'name' | 'reason'>[];
  /** Servers with precedence whose tool names are not known yet and could be the same. */
  readonly unlistedServers: readonly string[];
}

/** When the list was read. `partly` means that the server was just queried and part of the list failed. */
export type ListedWhen = 'now' | 'partly' | 'earlier' | 'never';

export interface ExplainedTool {
  /** The tool name on its server. */
  readonly name: string;
  /** The name that clients use, or would use if the tool were not hidden. */
  readonly publicName: string;
  /** Why the public name is not just the server id and the tool's own name. */
  readonly whyNamedSo?: string;
  /** Why the tool is hidden from clients. */
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
  /** The profile of the catalog in the sources. */
  readonly profile: Profile;
}

/** Explains the tools of one server. Returns undefined for a server not in use: disabled, untrusted or invalid. */
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

/** Masks secrets that the server repeats in its tools, so that the result can be displayed. */
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

/** Returns the naming of a server's tools. Hidden tools do not affect the names of the others. */
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
  const isInView = sources.view.showsTool(server.upstream.id, tool.key);
  const hidden = isInView ? (whyHidden(server, tool) ?? nameOwnerReason(name, server, sources)) : OUTSIDE_VIEW;
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

const OUTSIDE_VIEW = 'hidden: the view does not show it';

function nameOwnerReason(name: string, server: GatewayServer, { catalog }: StatusSources): string | undefined {
  const first = catalog.find('tools', name)?.server;
  return first === undefined || first === server ? undefined : `not listed: ${first.upstream.id} already lists ${name}`;
}

/** Returns the last input schema, which is the effective one if the member occurs twice. */
function schemaOf({ json }: Definition): string {
  const last = findMemberValues(json, 'inputSchema').at(-1);
  return last === undefined ? '{}' : json.slice(last.start, last.end);
}
