/** A JSON object whose members nobody has looked at yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** A text that says something; an empty one is as good as none. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
