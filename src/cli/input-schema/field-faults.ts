import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { parseJsonPointer } from '../../wire/json/json-pointer.ts';
import { isObject } from '../../wire/messages.ts';
import { propertyNames, propertySchema, resolveReference, valueAt } from './alternatives.ts';
import { ANYTHING, describeAllowed, formatValue, TYPE_NAMES } from './describe-schema.ts';
import { suggestNames } from './name-advice.ts';
import { findFaults, type ValidatorFault } from './validator.ts';

/** An invalid argument, and what would be valid. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** Reports each location once, with its own fault and not that of an enclosing value. */
export function findFieldFaults(value: unknown, schema: object, timeLimitMs: number): readonly FieldFault[] {
  const found = new Map<string, FieldFault>();
  for (const fault of relevantFaults(findFaults(value, schema, timeLimitMs))) {
    if (WRAPPER_KEYWORDS.has(fault.keyword)) continue;
    const described = toFieldFault(fault, value, schema);
    if (!found.has(described.field) && found.size < MAX_FAULTS) found.set(described.field, described);
  }
  return [...found.values()];
}

const MAX_FAULTS = 20;

/** How the message about a missing argument begins. */
export const REQUIRED = 'required';

/** Keywords that only report a fault inside them. */
const WRAPPER_KEYWORDS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'allOf', '$ref', '$recursiveRef', 'if'],
  'dependentSchemas',
]);

function toFieldFault(fault: ValidatorFault, value: unknown, root: unknown): FieldFault {
  const path = parseJsonPointer(fault.instanceLocation) ?? [];
  const given = valueAt(value, path);
  const schema = schemaAround(fault.keywordLocation, root);
  const field = (steps: readonly string[]) => (steps.length === 0 ? 'the arguments' : escapeInvisible(steps.join('.')));
  if (fault.keyword === 'required') {
    const missing = MISSING_PROPERTY.exec(fault.error)?.[1] ?? '';
    const inside = propertySchema(schema, missing, root) ?? propertySchema(schemaAt(path, root), missing, root);
    const allowed = describeAllowed(inside, root);
    const missingText = allowed === ANYTHING ? REQUIRED : `${REQUIRED} (${allowed})`;
    return {
      field: field([...path, missing]),
      message: `${missingText}${misspellingHint(missing, { given, schema, root })}`,
    };
  }
  if (fault.keyword === 'false') {
    const name = path.at(-1) ?? '';
    const known = propertyNames(schemaAt(path.slice(0, -1), root), root);
    return { field: field(path), message: `there is no such argument. ${suggestNames(name, known)}` };
  }
  const isDescribed = schema !== undefined && !UNDESCRIBED_KEYWORDS.has(fault.keyword);
  const allowed = isDescribed ? describeAllowed(unionOf(fault, schema), root) : ANYTHING;
  const why =
    allowed === ANYTHING ? escapeInvisible(oneLine(fault.error, 200)).replace(/\.$/, '') : `allowed: ${allowed}`;
  return { field: field(path), message: `${formatValue(given)} ${describeMismatch(fault, given, schema)}; ${why}` };
}

/** Keeps only the union: the value already satisfies the other keywords. */
function unionOf({ keyword }: ValidatorFault, schema: unknown): unknown {
  return keyword === 'anyOf' || keyword === 'oneOf' ? { [keyword]: valueAt(schema, [keyword]) } : schema;
}

/** Keywords for which the validator's message is better than a description of the allowed values. */
const UNDESCRIBED_KEYWORDS: ReadonlySet<string> = new Set([
  ...['not', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
  ...['dependentRequired', 'dependencies'],
]);

/** Returns the schema of the value at this path, wherever it is defined. */
function schemaAt(path: readonly string[], root: unknown): unknown {
  return path.reduce<unknown>((inner, step) => propertySchema(inner, step, root), root);
}

/** Suggests that a missing property is present under a similar unknown name, if unknown names are allowed. */
function misspellingHint(
  missing: string,
  { given, schema, root }: { readonly given: unknown; readonly schema: unknown; readonly root: unknown },
): string {
  // Otherwise such a name is a fault of its own.
  if (!isObject(given) || (isObject(schema) && schema['additionalProperties'] === false)) return '';
  const known = propertyNames(schema, root);
  const [near] = nearestNames(
    missing,
    Object.keys(given).filter((name) => !known.includes(name)),
  );
  return near === undefined ? '' : `. There is ${escapeInvisible(near)}: did you mean ${escapeInvisible(missing)}?`;
}

const MISSING_PROPERTY = /required property "(.*)"/s;

function describeMismatch({ keyword }: ValidatorFault, given: unknown, schema: unknown): string {
  const type = keyword === 'type' && isObject(schema) ? schema['type'] : undefined;
  if (typeof given === 'string' && /^-?\d{16,}$/.test(given) && (type === 'integer' || type === 'number'))
    return 'has too many digits to be sent exactly';
  if (typeof type !== 'string' || !Object.hasOwn(TYPE_NAMES, type)) return 'is not allowed';
  return `is not ${TYPE_NAMES[type as keyof typeof TYPE_NAMES]}`;
}

/**
 * Returns the schema whose keyword failed. Follows references, because the validator's location passes through them.
 */
function schemaAround(keywordLocation: string, root: unknown): unknown {
  return (parseJsonPointer(keywordLocation) ?? []).slice(0, -1).reduce<unknown>((schema, step) => {
    const inner = valueAt(schema, [step]);
    return step === '$ref' ? resolveReference(inner, root) : inner;
  }, root);
}

/**
 * Selects the relevant faults inside `anyOf` and `oneOf`. If only one member is plausible, because the others require
 * another type or another fixed value, keeps the faults of that member. Otherwise keeps the one fault that no member
 * matches.
 */
function relevantFaults(faults: readonly ValidatorFault[]): readonly ValidatorFault[] {
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
