import type { Rewrite, RewriteResult } from './profile.ts';

/**
 * The rewrites are found when somebody asks: a list of a thousand tools needs the texts alone. A class, because an object
 * with a getter of its own costs as much as a small schema.
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
