/** The form of a definition that the official clients accept. Members that a shape does not name may be anything. */
export type Shape = PlainShape | ValueShape | ObjectShape | ListShape | SchemaShape;

interface PlainShape {
  readonly kind: 'text' | 'flag';
}

interface ValueShape {
  readonly kind: 'value';
  /** Completes the sentence "it was not …". */
  readonly expected: string;
  readonly isValid: (value: unknown) => boolean;
}

export interface ObjectShape {
  readonly kind: 'object';
  readonly members: readonly (readonly [key: string, shape: Shape])[];
}

/** A list of objects. */
export interface ListShape {
  readonly kind: 'list';
  readonly of: ObjectShape;
  /** A text member without which an element of the list is useless. */
  readonly requiredMember: string;
}

/** A JSON Schema of objects: for the arguments of a call, which every tool needs, or for its structured result. */
interface SchemaShape {
  readonly kind: 'inputSchema' | 'outputSchema';
}
