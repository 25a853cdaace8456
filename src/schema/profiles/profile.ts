/** How tool schemas are rewritten for a client; of `auto` one of these is chosen by the client's name and version. */
export type ProfileName = 'none' | 'codex' | 'codex-legacy';

/** One thing that is different from what the server wrote, for a person who asks why. */
export interface Rewrite {
  /**
   * Where in the input schema, as in `properties.count`; empty for its top. Elsewhere in the tool it begins with a member
   * of the tool, as in `outputSchema.properties.count`.
   */
  readonly path: string;
  /** One short sentence each. */
  readonly what: string;
  readonly why: string;
  /** Whether something that the server accepts is no longer allowed by the schema that is shown. */
  readonly isNarrowing: boolean;
}

export interface RewriteResult {
  /** The schema as JSON on one line. */
  readonly text: string;
  readonly rewrites: readonly Rewrite[];
}

/** A pure function of the text: the same schema is always rewritten the same way, and rewriting twice changes nothing more. */
export interface Profile {
  readonly name: ProfileName;
  /** Of a tool's public name, which stands behind the client's own prefix. */
  readonly maxNameLength: number;
  /** Never throws for text that `JSON.parse` takes. */
  rewrite(schema: string): RewriteResult;
}
