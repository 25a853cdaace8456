/** What a definition must look like for the official clients to take it. What a shape does not name may be anything. */
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
  /** A text without which an object of the list is of no use. */
  readonly requiredMember: string;
}

/** A JSON Schema of objects: of the arguments of a call, without which there is no tool, or of its structured result. */
interface SchemaShape {
  readonly kind: 'inputSchema' | 'outputSchema';
}
