import { createGlob } from '../../base/text/glob.ts';
import type { ConfigProblem, Origin, ToolFilter } from '../server-entry.ts';

/** A limit on the servers and tools that a client sees. */
export interface ViewLimit {
  /** The visible servers. Undefined shows those that `tools.allow` can match, or all servers without `tools.allow`. */
  readonly servers: readonly string[] | undefined;
  /** Patterns for `server.tool`, where `tool` is the server's own name. They limit tools only. */
  readonly tools: ToolFilter;
}

/** A view as the config files define it. */
export interface ConfiguredView {
  readonly name: string;
  /** The definition with the highest precedence. */
  readonly origin: Origin;
  readonly verdict: ViewVerdict;
  /** What is wrong with its definitions. The problems of the config include them. */
  readonly problems: readonly ConfigProblem[];
}

export type ViewVerdict =
  /** A client sees only what all limits allow. */
  | { readonly kind: 'usable'; readonly limits: readonly ViewLimit[] }
  /** It is broken, or only untrusted projects define it. */
  | { readonly kind: 'broken' | 'untrusted'; readonly problem: ConfigProblem };

export interface ConfiguredViews {
  readonly named: ReadonlyMap<string, ConfiguredView>;
  /** The servers of each connected client that sees only some. A client without an entry sees all servers. */
  readonly clients: ReadonlyMap<string, readonly string[]>;
}

/** Decides what a client sees. */
export interface View {
  showsServer(id: string): boolean;
  showsTool(serverId: string, tool: string): boolean;
}

/** Compiles limits. Without limits, the view shows everything. */
export function createView(limits: readonly ViewLimit[]): View {
  const compiled = limits.map(compileLimit);
  return {
    showsServer: (id) => compiled.every((limit) => limit.showsServer(id)),
    showsTool: (id, tool) => compiled.every((limit) => limit.showsServer(id) && limit.showsTool(`${id}.${tool}`)),
  };
}

/** The view of a client without limits. */
export const EVERYTHING: View = { showsServer: () => true, showsTool: () => true };

/** Shows nothing: the limit of a view that is broken, untrusted or gone. */
export const NOTHING: ViewLimit = { servers: [], tools: { allow: undefined, deny: [] } };

/** Returns whether a pattern can match a tool of this server. */
export function mayMatchServer(pattern: string, id: string): boolean {
  const prefix = `${id}.`;
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.startsWith(prefix);
  const head = pattern.slice(0, star);
  return head.startsWith(prefix) || prefix.startsWith(head);
}

interface CompiledLimit {
  showsServer(id: string): boolean;
  showsTool(qualifiedName: string): boolean;
}

function compileLimit({ servers, tools: { allow, deny } }: ViewLimit): CompiledLimit {
  const ids = servers && new Set(servers);
  const allowed = allow?.map((pattern) => createGlob(pattern));
  const denied = deny.map((pattern) => createGlob(pattern));
  return {
    showsServer(id) {
      if (ids !== undefined) return ids.has(id);
      return allow === undefined || allow.some((pattern) => mayMatchServer(pattern, id));
    },
    showsTool(name) {
      if (denied.some((matches) => matches(name))) return false;
      return allowed === undefined || allowed.some((matches) => matches(name));
    },
  };
}
