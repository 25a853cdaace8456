import type { ValidatorFault } from './validator.ts';

/**
 * Of faults inside `anyOf` and `oneOf` those that are worth telling. Where only one member can be meant, because the
 * others want another type or another fixed value, its faults are; else the one fault that none of the members fits.
 */
export function relevantFaults(faults: readonly ValidatorFault[]): readonly ValidatorFault[] {
  const unions = faults.filter(({ keyword }) => UNIONS.has(keyword));
  const likelyMembers = new Map(unions.map((union) => [union, likelyMember(union, faults)]));
  return faults.filter((fault) => {
    // The fault of the whole is told only when nobody knows which member was meant.
    if (likelyMembers.get(fault) !== undefined) return false;
    return unions.every((union) => {
      const inside = `${union.keywordLocation}/`;
      if (!fault.keywordLocation.startsWith(inside)) return true;
      const member = likelyMembers.get(union);
      return member !== undefined && fault.keywordLocation.startsWith(`${inside}${member}/`);
    });
  });
}

const UNIONS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'not']);

/** The place of the only member that is not out of the question. */
function likelyMember(union: ValidatorFault, faults: readonly ValidatorFault[]): string | undefined {
  const inside = `${union.keywordLocation}/`;
  const members = new Map<string, boolean>();
  for (const fault of faults) {
    if (!fault.keywordLocation.startsWith(inside)) continue;
    const [member = ''] = fault.keywordLocation.slice(inside.length).split('/');
    const isExcluded = fault.keyword === 'const' || fault.keyword === 'enum' || isTypeMismatch(fault, union);
    members.set(member, members.get(member) === true || isExcluded);
  }
  const [only, another] = [...members].filter(([, isExcluded]) => !isExcluded);
  // A union of one member says no more than that member.
  return members.size > 1 && another === undefined ? only?.[0] : undefined;
}

function isTypeMismatch({ keyword, instanceLocation }: ValidatorFault, union: ValidatorFault): boolean {
  return keyword === 'type' && instanceLocation === union.instanceLocation;
}
