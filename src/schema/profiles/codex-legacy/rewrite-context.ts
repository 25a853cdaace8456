import type { Rewrite } from '../profile.ts';

/** Where in a schema the reading is, and what it changed. */
export interface RewriteContext {
  /** Stands before a number that is kept as text. */
  readonly mark: string | undefined;
  /** How many schemas may stand inside one another. */
  readonly maxDepth: number;
  /** Whether the whole may be nested deeper than Codex reads. */
  mayBeDeep: boolean;
  readonly path: string[];
  /** Under `not`, what accepts more makes the whole accept less. */
  isNegated: boolean;
  /** Whether every rewrite is told: a list of tools needs none of them. */
  readonly recordsRewrites: boolean;
  readonly rewrites: Rewrite[];
  count: number;
}

/** Every member is written out: this is done for every tool of every list. */
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

/** Also for a member called `__proto__`, which would be taken for something else. */
export function replaceMember(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
}
