import { isObject } from '../../wire/messages.ts';

/** A server's unverified claims about its own tool. */
export type ToolHints = Readonly<Partial<Record<Hint, boolean>>>;

/** The hints that MCP defines. */
export type Hint = (typeof HINTS)[number];

export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export function isHint(name: string): name is Hint {
  return HINTS.some((hint) => hint === name);
}

/** Reads the hints from a tool's annotations and ignores malformed ones. */
export function readHints(annotations: unknown): ToolHints {
  if (!isObject(annotations)) return {};
  const isClaimed = (hint: Hint) => Object.hasOwn(annotations, hint) && typeof annotations[hint] === 'boolean';
  return Object.fromEntries(HINTS.filter(isClaimed).map((hint) => [hint, annotations[hint]]));
}

/** Returns the hint or, when it is missing, the protocol's default, which is the less safe value. */
export function hintValue(hints: ToolHints, hint: Hint): boolean {
  const claim = hints[hint];
  if (claim !== undefined) return claim;
  switch (hint) {
    case 'readOnlyHint':
    case 'idempotentHint':
      return false;
    case 'openWorldHint':
      return true;
    case 'destructiveHint':
      return hints.readOnlyHint !== true;
  }
}
