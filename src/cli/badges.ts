import { isObject } from '../wire/messages.ts';

/** What a server says of its tool, in words. It may lie: nothing is allowed or refused by them alone. */
export function badgesOf(annotations: unknown): readonly string[] {
  if (!isObject(annotations)) return [];
  return WORDS.filter(([hint]) => annotations[hint] === true).map(([, word]) => word);
}

const WORDS = [
  ['readOnlyHint', 'read-only'],
  ['destructiveHint', 'destructive'],
  ['idempotentHint', 'idempotent'],
  ['openWorldHint', 'open-world'],
] as const;
