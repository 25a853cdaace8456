import type { ValidatorFault } from './validator.ts';

/**
 * Selects the relevant faults inside `anyOf` and `oneOf`. If only one member is plausible, because the others require
 * another type or another fixed value, keeps the faults of that member. Otherwise keeps the one fault that no member
 * matches.
 */
export function relevantFaults(faults: readonly ValidatorFault[]): readonly ValidatorFault[] {
  const unions = faults.filter(({ keyword }) => UNIONS.has(keyword));
  const likelyMembers = new Map(unions.map((union) => [union, likelyMember(union, faults)]));
  return faults.filter((fault) => {
    // The fault of the whole union counts only when no member is likely.
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

/** Returns the location of the only member that is not excluded. */
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
