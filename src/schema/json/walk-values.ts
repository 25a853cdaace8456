import type { Outline } from './outline.ts';

export interface ValueLocation {
  readonly node: number;
  /** The object or list that contains it. */
  readonly parent: number;
  /** For example `properties.count`. */
  readonly path: string;
}

/** Yields every value inside the outlined one, at any depth, in document order. */
export function* walkValues(outline: Outline, parent = 0, prefix = ''): Generator<ValueLocation> {
  const isList = outline.isList(parent);
  for (const [index, node] of outline.children(parent).entries()) {
    const path = prefix + (isList ? index : outline.key(node));
    yield { node, parent, path };
    yield* walkValues(outline, node, `${path}.`);
  }
}
