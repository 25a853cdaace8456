import type { Rewrite, RewriteResult } from './profile.ts';

/**
 * A result that computes its rewrites on demand: a list of a thousand tools needs only the texts. It is a class,
 * because an object with a getter of its own costs as much as a small schema.
 */
export class LazyRewriteResult implements RewriteResult {
  readonly text: string;
  readonly #find: () => readonly Rewrite[];
  #rewrites: readonly Rewrite[] | undefined;

  constructor(text: string, find: () => readonly Rewrite[]) {
    this.text = text;
    this.#find = find;
  }

  get rewrites(): readonly Rewrite[] {
    this.#rewrites ??= this.#find();
    return this.#rewrites;
  }
}
