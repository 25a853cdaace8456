/** A JSON object whose members have not been validated. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns a non-empty text, otherwise undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
