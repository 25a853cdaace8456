/** How much of a schema may be written. Leaving something out never makes the schema stricter. */
export interface Thrift extends Structure, Words {
  /** Bytes of the whole schema, as Codex counts them. */
  readonly maxBytes: number;
  /** Whether a schema that allows anything and has no description is written as `{}`. */
  readonly isTerse: boolean;
  /** Whether arguments may be left out until the rest fits. */
  readonly cutsProperties: boolean;
}

interface Structure {
  /** At this depth only the type of a schema is written, and nothing below it. */
  readonly maxDepth: number;
  /** The same inside a definition, which is at depth 1. With 0 there are no definitions and no references. */
  readonly definitionDepth: number;
  /** Maximum number of values of an `enum`; a longer one is left out. */
  readonly maxChoices: number;
  /** Maximum number of branches of an `anyOf` or similar; a longer one is left out. */
  readonly maxBranches: number;
  /** Whether a schema that is too deep keeps its type. */
  readonly keepsTypes: boolean;
}

interface Words {
  /** Characters of a description. */
  readonly maxText: number;
  /** Whether constraints, defaults and the like are told in words. */
  readonly tellsMore: boolean;
  /** Below this depth there are no descriptions. */
  readonly textDepth: number;
}

/** Codex removes all descriptions from a larger schema, and then more. */
export const MAX_BYTES = 5000;

/** A schema that is too large even without descriptions is still shown, as Codex does, but only up to this size. */
const MAX_BYTES_WITHOUT_WORDS = 50_000;

/** Deeper than any schema written by hand; limits recursion in readers. */
const MAX_DEPTH = 64;

const ALL = Number.POSITIVE_INFINITY;
const WHOLE: Structure = {
  maxDepth: MAX_DEPTH,
  definitionDepth: MAX_DEPTH,
  maxChoices: ALL,
  maxBranches: ALL,
  keepsTypes: true,
};
const WITHOUT_REFERENCES: Structure = { ...WHOLE, definitionDepth: 0 };
/** Codex removes everything below this depth. */
const SHALLOW: Structure = { ...WITHOUT_REFERENCES, maxDepth: 3, keepsTypes: false };
const WITHOUT_COMPOSITIONS: Structure = { ...SHALLOW, maxBranches: 0 };

/**
 * In order of loss: every step keeps less than the one before. The last step of each group is what Codex itself produces
 * when the previous group was too large, so a step of the same group never shows less than Codex would.
 */
const GROUPS: readonly (readonly Structure[])[] = [
  [WHOLE],
  [...[8, 5, 3, 2, 1].map((definitionDepth) => ({ ...WHOLE, definitionDepth })), WITHOUT_REFERENCES],
  [...[8, 6, 5, 4, 3].map((maxDepth) => ({ ...WITHOUT_REFERENCES, maxDepth })), SHALLOW],
  [WITHOUT_COMPOSITIONS],
];

const EVERY_WORD: Words = { maxText: ALL, tellsMore: true, textDepth: MAX_DEPTH };
const FEW_WORDS: Words = { maxText: 20, tellsMore: false, textDepth: 1 };
const NO_WORD: Words = { maxText: 0, tellsMore: false, textDepth: -1 };

/** Shortens long descriptions, then removes deep ones, then the constraints that are told in words. */
const WORDS: readonly Words[] = [
  ...[2400, 1200, 900, 600, 450, 300, 220, 150, 110, 75].map((maxText) => ({ ...EVERY_WORD, maxText })),
  ...[4, 3, 2].map((textDepth) => ({ maxText: 75, tellsMore: true, textDepth })),
  { maxText: 40, tellsMore: true, textDepth: 2 },
  ...[75, 55, 40, 30, 20].map((maxText) => ({ maxText, tellsMore: true, textDepth: 1 })),
  ...[75, 55, 40, 30].map((maxText) => ({ ...FEW_WORDS, maxText })),
  FEW_WORDS,
];

const WITHIN = { maxBytes: MAX_BYTES, isTerse: true, cutsProperties: false } as const;

export const PLENTY: Thrift = { ...WHOLE, ...EVERY_WORD, ...WITHIN, isTerse: false };

/** Every structure without words. */
export const WITHOUT_WORDS: readonly Thrift[] = GROUPS.flat().map((structure) => ({
  ...structure,
  ...NO_WORD,
  ...WITHIN,
}));

/** If no structure fits: the last one, up to a larger size. */
export const OVER_LIMIT: Thrift = {
  ...WITHOUT_COMPOSITIONS,
  ...NO_WORD,
  ...WITHIN,
  maxBytes: MAX_BYTES_WITHOUT_WORDS,
};

/** Always fits. */
export const LAST_RESORT: Thrift = { ...OVER_LIMIT, maxDepth: 1, maxChoices: 0, cutsProperties: true };

/**
 * The structures from one that fits without words down to what Codex would show, each with a few words: short
 * descriptions are worth more than depth.
 */
export function withFewWords(fitting: Thrift): readonly Thrift[] {
  const index = WITHOUT_WORDS.indexOf(fitting);
  let end = 0;
  for (const group of GROUPS) {
    end += group.length;
    if (index < end) break;
  }
  return WITHOUT_WORDS.slice(index, end).map((thrift) => ({ ...thrift, ...FEW_WORDS }));
}

/** The same structure with fewer and fewer words. */
export function losingWords(structure: Thrift): readonly Thrift[] {
  return WORDS.map((words) => ({ ...structure, ...words }));
}
