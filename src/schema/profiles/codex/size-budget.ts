/** How much of a schema may be written. Leaving something out never makes the schema stricter. */
export interface SizeBudget extends StructureLimits, DescriptionLimits {
  /** Bytes of the whole schema, as Codex counts them. */
  readonly maxBytes: number;
  /** Whether a schema that allows anything and has no description is written as `{}`. */
  readonly isCompact: boolean;
  /** Whether arguments may be left out until the rest fits. */
  readonly cutsProperties: boolean;
}

interface StructureLimits {
  /** At this depth only the type of a schema is written, and nothing below it. */
  readonly maxDepth: number;
  /** The same limit inside a definition, which is at depth 1. With 0 there are no definitions and no references. */
  readonly definitionDepth: number;
  /** Maximum number of values of an `enum`; a longer one is left out. */
  readonly maxChoices: number;
  /** Maximum number of branches of an `anyOf` or similar; a longer one is left out. */
  readonly maxBranches: number;
  /** Whether a schema that is too deep keeps its type. */
  readonly keepsTypes: boolean;
}

interface DescriptionLimits {
  /** Characters of a description. */
  readonly maxText: number;
  /** Whether constraints, defaults and the like are described in words. */
  readonly describesConstraints: boolean;
  /** Below this depth there are no descriptions. */
  readonly textDepth: number;
}

/** Codex removes all descriptions from a larger schema, and then more. */
export const MAX_BYTES = 5000;

/** A schema that is too large even without descriptions is still shown, as Codex does, but only up to this size. */
const MAX_BYTES_WITHOUT_DESCRIPTIONS = 50_000;

/** Deeper than any schema written by hand; limits recursion in readers. */
const MAX_DEPTH = 64;

const ALL = Number.POSITIVE_INFINITY;
const WHOLE: StructureLimits = {
  maxDepth: MAX_DEPTH,
  definitionDepth: MAX_DEPTH,
  maxChoices: ALL,
  maxBranches: ALL,
  keepsTypes: true,
};
const WITHOUT_REFERENCES: StructureLimits = { ...WHOLE, definitionDepth: 0 };
/** Codex removes everything below this depth. */
const SHALLOW: StructureLimits = { ...WITHOUT_REFERENCES, maxDepth: 3, keepsTypes: false };
const WITHOUT_COMPOSITIONS: StructureLimits = { ...SHALLOW, maxBranches: 0 };

/**
 * In order of loss: every step keeps less than the one before. The last step of each group is what Codex itself
 * produces when the previous group was too large, so a step of the same group never shows less than Codex would.
 */
const GROUPS: readonly (readonly StructureLimits[])[] = [
  [WHOLE],
  [...[8, 5, 3, 2, 1].map((definitionDepth) => ({ ...WHOLE, definitionDepth })), WITHOUT_REFERENCES],
  [...[8, 6, 5, 4, 3].map((maxDepth) => ({ ...WITHOUT_REFERENCES, maxDepth })), SHALLOW],
  [WITHOUT_COMPOSITIONS],
];

const FULL_DESCRIPTIONS: DescriptionLimits = { maxText: ALL, describesConstraints: true, textDepth: MAX_DEPTH };
const SHORT_DESCRIPTIONS: DescriptionLimits = { maxText: 20, describesConstraints: false, textDepth: 1 };
const NO_DESCRIPTIONS: DescriptionLimits = { maxText: 0, describesConstraints: false, textDepth: -1 };

/** Shortens long descriptions, then removes deep ones, then the constraints that are described in words. */
const DESCRIPTION_STEPS: readonly DescriptionLimits[] = [
  ...[2400, 1200, 900, 600, 450, 300, 220, 150, 110, 75].map((maxText) => ({ ...FULL_DESCRIPTIONS, maxText })),
  ...[4, 3, 2].map((textDepth) => ({ maxText: 75, describesConstraints: true, textDepth })),
  { maxText: 40, describesConstraints: true, textDepth: 2 },
  ...[75, 55, 40, 30, 20].map((maxText) => ({ maxText, describesConstraints: true, textDepth: 1 })),
  ...[75, 55, 40, 30].map((maxText) => ({ ...SHORT_DESCRIPTIONS, maxText })),
  SHORT_DESCRIPTIONS,
];

const WITHIN = { maxBytes: MAX_BYTES, isCompact: true, cutsProperties: false } as const;

export const FULL_BUDGET: SizeBudget = { ...WHOLE, ...FULL_DESCRIPTIONS, ...WITHIN, isCompact: false };

/** Every structure without descriptions. */
export const WITHOUT_DESCRIPTIONS: readonly SizeBudget[] = GROUPS.flat().map((structure) => ({
  ...structure,
  ...NO_DESCRIPTIONS,
  ...WITHIN,
}));

/** The last structure with a larger size limit, for schemas that no structure makes small enough. */
export const OVER_LIMIT: SizeBudget = {
  ...WITHOUT_COMPOSITIONS,
  ...NO_DESCRIPTIONS,
  ...WITHIN,
  maxBytes: MAX_BYTES_WITHOUT_DESCRIPTIONS,
};

/** Always fits. */
export const LAST_RESORT: SizeBudget = { ...OVER_LIMIT, maxDepth: 1, maxChoices: 0, cutsProperties: true };

/**
 * Returns the structures from one that fits without descriptions down to what Codex would show, each with short
 * descriptions, which are worth more than depth.
 */
export function withShortDescriptions(fitting: SizeBudget): readonly SizeBudget[] {
  const index = WITHOUT_DESCRIPTIONS.indexOf(fitting);
  let end = 0;
  for (const group of GROUPS) {
    end += group.length;
    if (index < end) break;
  }
  return WITHOUT_DESCRIPTIONS.slice(index, end).map((budget) => ({ ...budget, ...SHORT_DESCRIPTIONS }));
}

/** Returns the same structure with shorter and shorter descriptions. */
export function withShrinkingDescriptions(structure: SizeBudget): readonly SizeBudget[] {
  return DESCRIPTION_STEPS.map((words) => ({ ...structure, ...words }));
}
