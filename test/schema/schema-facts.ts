/**
 * Returns the facts that a schema states about the arguments, one text each: the path of a member, the values that
 * it may have, and whether it is required. Follows references, and ignores which part of a composition
 * states a fact.
 */
export function factsIn(schema: unknown): ReadonlySet<string> {
  const seen = new Set<string>();
  collect(seen, { schema, root: schema, path: '', depth: 0 });
  return seen;
}

/** Returns the facts of the first schema that are missing in the second. */
export function missingFacts(seen: ReadonlySet<string>, elsewhere: ReadonlySet<string>): readonly string[] {
  return [...seen].filter((thing) => !elsewhere.has(thing));
}

interface Visit {
  readonly schema: unknown;
  readonly root: unknown;
  readonly path: string;
  readonly depth: number;
}

/** References may be circular. */
const MAX_DEPTH = 7;

function collect(seen: Set<string>, { schema, root, path, depth }: Visit): void {
  if (!isObject(schema) || depth > MAX_DEPTH) return;
  const step = (inner: unknown, to: string) => collect(seen, { schema: inner, root, path: to, depth: depth + 1 });
  if (Array.isArray(schema['enum'])) for (const value of schema['enum']) seen.add(`${path} = ${JSON.stringify(value)}`);
  if (Array.isArray(schema['required'])) for (const name of schema['required']) seen.add(`${path}.${name} is required`);
  for (const [name, inner] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {})) {
    seen.add(`${path}.${name}`);
    step(inner, `${path}.${name}`);
  }
  step(schema['items'], `${path}[]`);
  step(schema['additionalProperties'], `${path}.*`);
  for (const branches of [schema['anyOf'], schema['oneOf'], schema['allOf']]) {
    if (Array.isArray(branches)) for (const branch of branches) step(branch, path);
  }
  if (typeof schema['$ref'] === 'string') step(follow(root, schema['$ref']), path);
}

function follow(root: unknown, ref: string): unknown {
  let at = root;
  for (const name of ref.split('/').slice(1)) at = isObject(at) ? at[name] : undefined;
  return at;
}

function isObject(found: unknown): found is Record<string, unknown> {
  return typeof found === 'object' && found !== null && !Array.isArray(found);
}
