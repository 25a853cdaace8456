import { messageOf } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { visible } from '../../base/text/visible-text.ts';
import { createPlainCheck } from '../../serve/tools/fast-schema-check.ts';
import { isObject } from '../../wire/messages.ts';
import { memberNames, memberSchema, resolveReference, stepInto, stepsOf } from './alternatives.ts';
import { ANYTHING, allowedText, shownValue, TYPE_WORDS } from './describe-schema.ts';
import { meantFaults } from './relevant-faults.ts';
import type { ValidatorFault } from './validator.ts';

/** An argument that does not fit, and what would. */
interface FieldFault {
  readonly field: string;
  readonly message: string;
}

export type CheckedArguments =
  | { readonly kind: 'checked'; readonly faults: readonly FieldFault[] }
  /** The schema cannot be used here: the server judges. */
  | { readonly kind: 'unchecked'; readonly why: string };

/** Compares arguments with the schema of a tool before they are sent. The schema may be broken, hostile or none at all. */
export async function checkArguments(value: unknown, schema: unknown, timeLimitMs = 500): Promise<CheckedArguments> {
  if (!isObject(schema)) return { kind: 'unchecked', why: 'it has no schema' };
  try {
    if (JSON.stringify(schema).length > MAX_SCHEMA_LENGTH)
      return { kind: 'unchecked', why: `its schema is larger than ${MAX_SCHEMA_LENGTH / 1024} KiB` };
    if (createPlainCheck(schema)?.(value) === true) return { kind: 'checked', faults: [] };
    const { findFaults } = await import('./validator.ts');
    return { kind: 'checked', faults: toFieldFaults(findFaults(value, schema, timeLimitMs), value, schema) };
  } catch (error) {
    return { kind: 'unchecked', why: whyNot(error) };
  }
}

function whyNot(error: unknown): string {
  // Errors of the other context are no `Error` here.
  if (isObject(error) && error['code'] === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'its schema takes too long';
  const [words = ''] = messageOf(error).split('\n');
  return `its schema cannot be used: ${visible(oneLine(words, 120)).replace(/\.$/, '')}`;
}

const MAX_SCHEMA_LENGTH = 256 * 1024;
const MAX_FAULTS = 20;

/** Each place once, by what is wrong there and not by what is wrong around it. */
function toFieldFaults(faults: readonly ValidatorFault[], value: unknown, schema: unknown): readonly FieldFault[] {
  const found = new Map<string, FieldFault>();
  for (const fault of meantFaults(faults)) {
    if (WRAPPERS.has(fault.keyword)) continue;
    const described = describe(fault, value, schema);
    if (!found.has(described.field) && found.size < MAX_FAULTS) found.set(described.field, described);
  }
  return [...found.values()];
}

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

/** The known names nearest to one that is not known, or all of them. */
export function nameAdvice(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known);
  if (near.length > 0) return `Did you mean ${near.map(visible).join(' or ')}?`;
  if (known.length === 0) return 'It takes none';
  const more = known.length > MAX_FAULTS ? ' …' : '';
  return `There are: ${known.slice(0, MAX_FAULTS).map(visible).join(', ')}${more}`;
}

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
