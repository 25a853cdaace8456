/** How much of a schema may be written. Every step allows less than the one before, and whatever is left out only widens. */
export interface Thrift {
  /** Characters of a description. */
  readonly maxText: number;
  /** Whether constraints, defaults and the like are told in words. */
  readonly tellsMore: boolean;
  /** Below this depth there are no descriptions. */
  readonly textDepth: number;
  /** Below this depth there are no schemas: the ones that stand there say their type alone. */
  readonly maxDepth: number;
  /** Members of an `enum` or `anyOf`; of a longer one nothing is written. */
  readonly maxChoices: number;
  readonly keepsReferences: boolean;
  /** Whether arguments may be left out until the rest fits. */
  readonly cutsProperties: boolean;
}

/** Codex takes all descriptions out of a schema that is larger, and then worse. */
export const MAX_BYTES = 4999;

/** Deeper nobody writes by hand; a reader that follows every level must come to an end. */
const MAX_DEPTH = 64;

const plenty: Thrift = {
  maxText: Number.POSITIVE_INFINITY,
  tellsMore: true,
  textDepth: MAX_DEPTH,
  maxDepth: MAX_DEPTH,
  maxChoices: Number.POSITIVE_INFINITY,
  keepsReferences: true,
  cutsProperties: false,
};
const shortTexts: Thrift = { ...plenty, maxText: 120 };
const fewTexts: Thrift = { ...shortTexts, tellsMore: false, textDepth: 1 };
const shallow: Thrift = { ...fewTexts, maxDepth: 3, maxChoices: 40, keepsReferences: false };
const flat: Thrift = { ...shallow, maxText: 80, maxDepth: 1, maxChoices: 20 };
const bare: Thrift = { ...flat, textDepth: -1, maxChoices: 0 };

/** From the cheapest loss to the last resort, which always fits. */
export const THRIFT = {
  plenty,
  steps: [
    { ...plenty, maxText: 600 },
    { ...plenty, maxText: 300 },
    shortTexts,
    { ...shortTexts, tellsMore: false },
    { ...fewTexts, textDepth: 2 },
    fewTexts,
    { ...fewTexts, maxDepth: 8, maxChoices: 200 },
    { ...fewTexts, maxDepth: 5, maxChoices: 80 },
    shallow,
    { ...shallow, maxDepth: 2 },
    flat,
    bare,
  ],
  last: { ...bare, cutsProperties: true },
} as const satisfies { plenty: Thrift; steps: readonly Thrift[]; last: Thrift };
