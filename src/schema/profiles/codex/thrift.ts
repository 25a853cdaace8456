/** How much of a schema may be written. Whatever is left out only widens. */
export interface Thrift extends Structure, Words {
  /** Whether arguments may be left out until the rest fits. */
  readonly cutsProperties: boolean;
}

interface Structure {
  /** Below this depth there are no schemas: the ones that stand there say their type alone. */
  readonly maxDepth: number;
  /** Members of an `enum` or `anyOf`; of a longer one nothing is written. */
  readonly maxChoices: number;
  readonly keepsReferences: boolean;
}

interface Words {
  /** Characters of a description. */
  readonly maxText: number;
  /** Whether constraints, defaults and the like are told in words. */
  readonly tellsMore: boolean;
  /** Below this depth there are no descriptions. */
  readonly textDepth: number;
}

/** Codex takes all descriptions out of a schema that is larger, and then worse. */
export const MAX_BYTES = 4999;

/** Deeper nobody writes by hand; a reader that follows every level must come to an end. */
const MAX_DEPTH = 64;

const WHOLE: Structure = { maxDepth: MAX_DEPTH, maxChoices: Number.POSITIVE_INFINITY, keepsReferences: true };
const EVERY_WORD: Words = { maxText: Number.POSITIVE_INFINITY, tellsMore: true, textDepth: MAX_DEPTH };
const FEW_WORDS: Words = { maxText: 20, tellsMore: false, textDepth: 1 };
const NO_WORD: Words = { maxText: 0, tellsMore: false, textDepth: -1 };
const LEAST: Structure = { maxDepth: 1, maxChoices: 0, keepsReferences: false };

/** From the cheapest loss on: every step allows less than the one before. */
const STRUCTURES: readonly Structure[] = [
  WHOLE,
  { maxDepth: 8, maxChoices: 200, keepsReferences: true },
  { maxDepth: 5, maxChoices: 80, keepsReferences: true },
  { maxDepth: 3, maxChoices: 40, keepsReferences: false },
  { maxDepth: 2, maxChoices: 40, keepsReferences: false },
  { maxDepth: 1, maxChoices: 20, keepsReferences: false },
];

/** Long descriptions are shortened by halves, then those that are deep go, then what is told beside them. */
const WORDS: readonly Words[] = [
  ...[1200, 600, 300, 150, 75].map((maxText) => ({ ...EVERY_WORD, maxText })),
  ...[4, 3, 2].map((textDepth) => ({ maxText: 75, tellsMore: true, textDepth })),
  { maxText: 40, tellsMore: true, textDepth: 2 },
  { maxText: 40, tellsMore: true, textDepth: 1 },
  { maxText: 20, tellsMore: true, textDepth: 1 },
  FEW_WORDS,
];

export const PLENTY: Thrift = { ...WHOLE, ...EVERY_WORD, cutsProperties: false };
export const WITH_FEW_WORDS = STRUCTURES.map((structure) => join(structure, FEW_WORDS));
export const WITHOUT_WORDS = [...STRUCTURES, LEAST].map((structure) => join(structure, NO_WORD));
/** Always fits. */
export const LAST_RESORT: Thrift = { ...LEAST, ...NO_WORD, cutsProperties: true };

/** With more and more loss of words, where so much of the schema itself can stay. */
export function losingWords(structure: Structure): readonly Thrift[] {
  return WORDS.map((words) => join(structure, words));
}

function join({ maxDepth, maxChoices, keepsReferences }: Structure, words: Words): Thrift {
  return { maxDepth, maxChoices, keepsReferences, ...words, cutsProperties: false };
}
