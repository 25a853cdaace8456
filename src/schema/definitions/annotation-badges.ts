import { isObject } from '../../wire/messages.ts';

/**
 * Returns the annotations of a tool as badges to display beside its name. They are the server's claims, not guarantees.
 */
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
