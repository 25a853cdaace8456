import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import { decodePointer, propertyNames, propertySchema, resolveReference, valueAt } from './alternatives.ts';
import { ANYTHING, describeAllowed, formatValue, TYPE_NAMES } from './describe-schema.ts';
import { suggestNames } from './name-advice.ts';
import { relevantFaults } from './relevant-faults.ts';
import { findFaults, type ValidatorFault } from './validator.ts';

/** An argument that does not fit, and what would. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** Each place once, by what is wrong there and not by what is wrong around it. */
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

/** They say only that something inside them is wrong. */
const WRAPPER_KEYWORDS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'allOf', '$ref', '$recursiveRef', 'if'],
  'dependentSchemas',
]);

function toFieldFault(fault: ValidatorFault, value: unknown, root: unknown): FieldFault {
  const path = decodePointer(fault.instanceLocation);
  const given = valueAt(value, path);
  const schema = schemaAround(fault.keywordLocation, root);
  const field = (steps: readonly string[]) => (steps.length === 0 ? 'the arguments' : escapeInvisible(steps.join('.')));
  if (fault.keyword === 'required') {
    const missing = MISSING_PROPERTY.exec(fault.error)?.[1] ?? '';
    const inside = propertySchema(schema, missing, root) ?? propertySchema(schemaAt(path, root), missing, root);
    const allowed = describeAllowed(inside, root);
    const missingText = allowed === ANYTHING ? 'missing' : `missing; allowed: ${allowed}`;
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

/** Beside its members it says what fits already. */
function unionOf({ keyword }: ValidatorFault, schema: unknown): unknown {
  return keyword === 'anyOf' || keyword === 'oneOf' ? { [keyword]: valueAt(schema, [keyword]) } : schema;
}

/** What is allowed is not told in words of ours: those of the validator say more. */
const UNDESCRIBED_KEYWORDS: ReadonlySet<string> = new Set([
  ...['not', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
  ...['dependentRequired', 'dependencies'],
]);

/** What a schema says of the value at the end of this way, wherever it says so. */
function schemaAt(path: readonly string[], root: unknown): unknown {
  return path.reduce<unknown>((inner, step) => propertySchema(inner, step, root), root);
}

/** One that is missing may be there under a name that is nearly the same, where names that nobody knows are allowed. */
function misspellingHint(
  missing: string,
  { given, schema, root }: { readonly given: unknown; readonly schema: unknown; readonly root: unknown },
): string {
  // Elsewhere such a name has a complaint of its own.
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
    return 'has more digits than can be sent exactly';
  if (typeof type !== 'string' || !Object.hasOwn(TYPE_NAMES, type)) return 'is not allowed';
  return `is not ${TYPE_NAMES[type as keyof typeof TYPE_NAMES]}`;
}

/** The schema whose keyword failed. The validator's way there goes through references, and so do we. */
function schemaAround(keywordLocation: string, root: unknown): unknown {
  return decodePointer(keywordLocation)
    .slice(0, -1)
    .reduce<unknown>((schema, step) => {
      const inner = valueAt(schema, [step]);
      return step === '$ref' ? resolveReference(inner, root) : inner;
    }, root);
}
