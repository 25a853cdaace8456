import type { Outline } from './outline.ts';

export interface ValueLocation {
  readonly node: number;
  /** The object or list in which it stands. */
  readonly parent: number;
  /** As in `properties.count`. */
  readonly path: string;
}

/** Every value inside the outlined one, at any depth, in the order in which they stand. */
export function* walkValues(outline: Outline, parent = 0, prefix = ''): Generator<ValueLocation> {
  const isList = outline.isList(parent);
  for (const [index, node] of outline.children(parent).entries()) {
    const path = prefix + (isList ? index : outline.key(node));
    yield { node, parent, path };
    yield* walkValues(outline, node, `${path}.`);
  }
}
