/**
 * Expands `${VAR}` and `${VAR:-default}` in a text, as a shell does. A default replaces a variable that is unset or
 * empty, and may contain variables itself. The values of variables are not expanded again. Throws `missingError` for a
 * name that is unset and has no default. Any other `${…}` stays as it is.
 */
export function expandVariables(text: string, { lookup, missingError }: VariableSource): string {
  let expanded = '';
  let from = 0;
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', from)) {
    const reference = readReference(text, at);
    expanded += text.slice(from, at);
    from = reference?.end ?? at + 2;
    expanded += reference === undefined ? '${' : expandReference(reference, { lookup, missingError });
  }
  return expanded + text.slice(from);
}

export interface VariableSource {
  lookup(name: string): string | undefined;
  /** Returns the error for a variable that is not set. */
  missingError(name: string): Error;
}

/** The content between `${` and its `}`, if it is a name with or without a default. */
interface Reference {
  readonly name: string;
  readonly fallback: string | undefined;
  readonly end: number;
}

function expandReference({ name, fallback }: Reference, variables: VariableSource): string {
  const value = variables.lookup(name);
  if (fallback !== undefined && (value === undefined || value === '')) return expandVariables(fallback, variables);
  if (value === undefined) throw variables.missingError(name);
  return value;
}

function readReference(text: string, at: number): Reference | undefined {
  const name = /^[A-Za-z_][A-Za-z0-9_]*/.exec(text.slice(at + 2))?.[0];
  if (name === undefined) return undefined;
  const after = at + 2 + name.length;
  if (text[after] === '}') return { name, fallback: undefined, end: after + 1 };
  const close = text.startsWith(':-', after) ? closingBrace(text, after + 2) : -1;
  return close === -1 ? undefined : { name, fallback: text.slice(after + 2, close), end: close + 1 };
}

/**
 * Returns the offset of the brace that closes the reference around `from`, after any nested references; -1 if there is
 * none.
 */
function closingBrace(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('${', at)) depth++;
    if (text[at] !== '}') continue;
    if (depth === 0) return at;
    depth--;
  }
  return -1;
}
