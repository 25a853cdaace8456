/**
 * The profiles by which tool schemas are rewritten for a client; `auto` chooses one by the client's name and version.
 */
export type ProfileName = 'none' | 'codex' | 'codex-legacy';

/** One difference from the server's own schema, for a user who asks for the reason. */
export interface Rewrite {
  /**
   * Path in the input schema, such as `properties.count`; empty for its root. Elsewhere in the tool, it begins with a
   * member of the tool, such as `outputSchema.properties.count`.
   */
  readonly path: string;
  /** One short sentence each. */
  readonly what: string;
  readonly why: string;
  /** Whether the rewritten schema rejects something that the server accepts. */
  readonly isNarrowing: boolean;
}

export interface RewriteResult {
  /** The schema as JSON on one line. */
  readonly text: string;
  readonly rewrites: readonly Rewrite[];
}

/**
 * A rewrite of schemas for a client. It is a pure function of the text: it always rewrites the same schema the same
 * way, and a second rewrite changes nothing more.
 */
export interface Profile {
  readonly name: ProfileName;
  /** Limit on a tool's public name, which follows the client's own prefix. */
  readonly maxNameLength: number;
  /** Never throws for text that `JSON.parse` accepts. */
  rewrite(schema: string): RewriteResult;
}
