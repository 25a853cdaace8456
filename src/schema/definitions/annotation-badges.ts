import { isObject } from '../../wire/messages.ts';

/** What a server says of its tool, as words to be shown beside its name. They are the server's word, no promise. */
export function readBadges(definitionJson: string): readonly string[] {
  const definition: unknown = JSON.parse(definitionJson);
  return badgesOf(isObject(definition) ? definition['annotations'] : undefined);
}

export function badgesOf(annotations: unknown): readonly string[] {
  if (!isObject(annotations)) return [];
  return HINTS.flatMap(([hint, badge]) => (annotations[hint] === true ? [badge] : []));
}

const HINTS = [
  ['readOnlyHint', 'read-only'],
  ['destructiveHint', 'destructive'],
  ['idempotentHint', 'idempotent'],
  ['openWorldHint', 'open-world'],
] as const;
