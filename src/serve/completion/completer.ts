/**
 * The values of an argument that a client may suggest: a list, from which the client gets the values that begin with
 * the typed text, or a function that returns the values for the typed text. `others` are the arguments that the user
 * has filled in already.
 */
export type Completer =
  | readonly string[]
  | ((typed: string, others: Readonly<Record<string, string>>) => readonly string[] | PromiseLike<readonly string[]>);

/** The completers by the name of the argument or variable. */
export type Completers<Name extends string = string> = { readonly [Key in Name]?: Completer };
