import { isObject } from '../../wire/messages.ts';

/** What a server says of its own tool. Nobody has checked it. */
export type ToolHints = Readonly<Partial<Record<Hint, boolean>>>;

/** The hints that MCP defines. */
export type Hint = (typeof HINTS)[number];

export const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export function isHint(name: string): name is Hint {
  return HINTS.some((hint) => hint === name);
}

/** From the annotations of a tool, whatever they are. */
export function readHints(annotations: unknown): ToolHints {
  if (!isObject(annotations)) return {};
  const isClaimed = (hint: Hint) => Object.hasOwn(annotations, hint) && typeof annotations[hint] === 'boolean';
  return Object.fromEntries(HINTS.filter(isClaimed).map((hint) => [hint, annotations[hint]]));
}

/** A tool that says nothing is taken for what the protocol says then, which is the worse of both. */
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
