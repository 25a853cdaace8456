import type { Rewrite } from '../profile.ts';

/** The current position in a schema, and the changes so far. */
export interface RewriteContext {
  /** Prefix of a number that is kept as text. */
  readonly mark: string | undefined;
  /** Maximum depth of nested schemas. */
  readonly maxDepth: number;
  /** Whether the result may be nested deeper than Codex reads. */
  mayBeDeep: boolean;
  readonly path: string[];
  /** Whether the position is under `not`, where accepting more makes the whole schema accept less. */
  isNegated: boolean;
  /** Whether to record every rewrite: a tool list needs none of them. */
  readonly recordsRewrites: boolean;
  readonly rewrites: Rewrite[];
  count: number;
}

/** Creates a context. Lists every member explicitly, because this runs for every tool of every list. */
export function createRewriteContext({
  mark,
  maxDepth,
  recordsRewrites,
}: Pick<RewriteContext, 'mark' | 'maxDepth' | 'recordsRewrites'>): RewriteContext {
  return {
    mark,
    maxDepth,
    mayBeDeep: false,
    path: [],
    isNegated: false,
    recordsRewrites,
    rewrites: [],
    count: 0,
  };
}

export interface Reason {
  readonly what: string;
  readonly why: string;
  readonly acceptsLess: boolean;
}

export function recordRewrite(context: RewriteContext, { what, why, acceptsLess }: Reason): void {
  context.count++;
  if (!context.recordsRewrites || context.count > MAX_REWRITES) return;
  context.rewrites.push({ path: context.path.join('.'), what, why, isNarrowing: acceptsLess !== context.isNegated });
}

export const MAX_REWRITES = 100;

/** Sets a member. Also works for `__proto__`, which an assignment would treat as the prototype. */
export function replaceMember(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}
