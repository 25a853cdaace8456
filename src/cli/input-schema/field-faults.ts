import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { visible } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import { memberNames, memberSchema, resolveReference, stepInto, stepsOf } from './alternatives.ts';
import { ANYTHING, allowedText, shownValue, TYPE_WORDS } from './describe-schema.ts';
import { nameAdvice } from './name-advice.ts';
import { meantFaults } from './relevant-faults.ts';
import { findFaults, type ValidatorFault } from './validator.ts';

/** An argument that does not fit, and what would. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** Each place once, by what is wrong there and not by what is wrong around it. */
export function findFieldFaults(value: unknown, schema: object, timeLimitMs: number): readonly FieldFault[] {
  const found = new Map<string, FieldFault>();
  for (const fault of meantFaults(findFaults(value, schema, timeLimitMs))) {
    if (WRAPPERS.has(fault.keyword)) continue;
    const described = describe(fault, value, schema);
    if (!found.has(described.field) && found.size < MAX_FAULTS) found.set(described.field, described);
  }
  return [...found.values()];
}

const MAX_FAULTS = 20;

/** They say only that something inside them is wrong. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'allOf', '$ref', '$recursiveRef', 'if'],
  'dependentSchemas',
]);

function describe(fault: ValidatorFault, value: unknown, root: unknown): FieldFault {
  const path = stepsOf(fault.instanceLocation);
  const given = stepInto(value, path);
  const schema = schemaAround(fault.keywordLocation, root);
  const field = (steps: readonly string[]) => (steps.length === 0 ? 'the arguments' : visible(steps.join('.')));
  if (fault.keyword === 'required') {
    const missing = MISSING.exec(fault.error)?.[1] ?? '';
    const inside = memberSchema(schema, missing, root) ?? memberSchema(schemaOf(path, root), missing, root);
    const allowed = allowedText(inside, root);
    const told = allowed === ANYTHING ? 'missing' : `missing; allowed: ${allowed}`;
    return { field: field([...path, missing]), message: `${told}${slipAdvice(missing, { given, schema, root })}` };
  }
  if (fault.keyword === 'false') {
    const name = path.at(-1) ?? '';
    const known = memberNames(schemaOf(path.slice(0, -1), root), root);
    return { field: field(path), message: `there is no such argument. ${nameAdvice(name, known)}` };
  }
  const isTold = schema !== undefined && !UNTOLD.has(fault.keyword);
  const allowed = isTold ? allowedText(ofUnion(fault, schema), root) : ANYTHING;
  const why = allowed === ANYTHING ? visible(oneLine(fault.error, 200)).replace(/\.$/, '') : `allowed: ${allowed}`;
  return { field: field(path), message: `${shownValue(given)} ${complaint(fault, given, schema)}; ${why}` };
}

/** Beside its members it says what fits already. */
function ofUnion({ keyword }: ValidatorFault, schema: unknown): unknown {
  return keyword === 'anyOf' || keyword === 'oneOf' ? { [keyword]: stepInto(schema, [keyword]) } : schema;
}

/** What is allowed is not told in words of ours: those of the validator say more. */
const UNTOLD: ReadonlySet<string> = new Set([
  ...['not', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'minProperties', 'maxProperties'],
  ...['dependentRequired', 'dependencies'],
]);

/** What a schema says of the value at the end of this way, wherever it says so. */
function schemaOf(path: readonly string[], root: unknown): unknown {
  return path.reduce<unknown>((inner, step) => memberSchema(inner, step, root), root);
}

/** One that is missing may be there under a name that is nearly the same, where names that nobody knows are allowed. */
function slipAdvice(
  missing: string,
  { given, schema, root }: { readonly given: unknown; readonly schema: unknown; readonly root: unknown },
): string {
  // Elsewhere such a name has a complaint of its own.
  if (!isObject(given) || (isObject(schema) && schema['additionalProperties'] === false)) return '';
  const known = memberNames(schema, root);
  const [near] = nearestNames(
    missing,
    Object.keys(given).filter((name) => !known.includes(name)),
  );
  return near === undefined ? '' : `. There is ${visible(near)}: did you mean ${visible(missing)}?`;
}

const MISSING = /required property "(.*)"/s;

function complaint({ keyword }: ValidatorFault, given: unknown, schema: unknown): string {
  const type = keyword === 'type' && isObject(schema) ? schema['type'] : undefined;
  if (typeof given === 'string' && /^-?\d{16,}$/.test(given) && (type === 'integer' || type === 'number'))
    return 'has more digits than can be sent exactly';
  if (typeof type !== 'string' || !Object.hasOwn(TYPE_WORDS, type)) return 'is not allowed';
  return `is not ${TYPE_WORDS[type as keyof typeof TYPE_WORDS]}`;
}

/** The schema whose keyword failed. The validator's way there goes through references, and so do we. */
function schemaAround(keywordLocation: string, root: unknown): unknown {
  return stepsOf(keywordLocation)
    .slice(0, -1)
    .reduce<unknown>((schema, step) => {
      const inner = stepInto(schema, [step]);
      return step === '$ref' ? resolveReference(inner, root) : inner;
    }, root);
}
