import { writeItems } from './items.ts';
import { writeProperties } from './properties.ts';
import { listOf, type Parts } from './schema-keywords.ts';
import { enter, isFull, leave, note, type Writing } from './schema-writer.ts';

/** Whether other schemas stand in this one, or it asks for properties. */
export function hasContents(parts: Parts): boolean {
  return (
    parts.properties !== undefined ||
    parts.required !== undefined ||
    parts.items !== undefined ||
    parts.anyOf !== undefined ||
    parts.additionalProperties !== undefined ||
    parts.allOf !== undefined ||
    parts.oneOf !== undefined ||
    parts.prefixItems !== undefined
  );
}

export function writeContents(writing: Writing, parts: Parts): void {
  writeProperties(writing, parts);
  if (parts.place.depth === 0) {
    if (parts.items !== undefined) note(writing, 'items left out', 'the arguments of a call are an object');
    return;
  }
  writeItems(writing, parts);
  writeCompositions(writing, parts);
}

/**
 * `oneOf` becomes `anyOf`: once Codex has dropped the constraints that tell its schemas apart, a value may fit two of
 * them, and would fit no more. Where both stand, the second goes into `allOf`.
 */
function writeCompositions(writing: Writing, parts: Parts): void {
  if (parts.anyOf === undefined && parts.oneOf === undefined && parts.allOf === undefined) return;
  const { maxBranches } = writing.thrift;
  const anyOf = listOf(parts.anyOf, maxBranches);
  const oneOf = listOf(parts.oneOf, maxBranches);
  const allOf = listOf(parts.allOf, maxBranches);
  if (parts.anyOf !== undefined && anyOf === undefined) note(writing, 'anyOf left out', UNUSABLE);
  if (parts.allOf !== undefined && allOf === undefined) note(writing, 'allOf left out', UNUSABLE);
  if (parts.oneOf !== undefined) {
    if (oneOf === undefined) note(writing, 'oneOf left out', UNUSABLE);
    else note(writing, 'oneOf became anyOf', 'without what Codex drops, a value may fit two of its schemas');
  }
  const isBoth = anyOf !== undefined && oneOf !== undefined;
  if (anyOf !== undefined) writeAnyOf(writing, anyOf, { keyword: 'anyOf', parts });
  else if (oneOf !== undefined) writeAnyOf(writing, oneOf, { keyword: 'oneOf', parts });
  if (allOf === undefined && !isBoth) return;
  writing.text += `${writing.separator}"allOf":[`;
  if (allOf !== undefined) writeBranches(writing, allOf, { keyword: 'allOf', parts });
  if (isBoth) {
    writing.text += allOf === undefined ? '{' : ',{';
    writing.separator = '';
    writeAnyOf(writing, oneOf, { keyword: 'oneOf', parts });
    writing.text += '}';
  }
  writing.text += ']';
  writing.separator = ',';
}

const UNUSABLE = 'it is empty, not a list, or too long';

interface Branches {
  readonly keyword: 'anyOf' | 'oneOf' | 'allOf';
  readonly parts: Parts;
}

function writeAnyOf(writing: Writing, branches: readonly unknown[], options: Branches): void {
  const mayBeNull = options.parts.nullable === true && options.parts.types === undefined;
  if (mayBeNull) note(writing, 'nullable became a schema of null', 'Codex drops nullable');
  writing.text += `${writing.separator}"anyOf":[`;
  writeBranches(writing, branches, options);
  writing.text += mayBeNull ? ',{"type":"null"}]' : ']';
  writing.separator = ',';
}

/** A branch without a type has the one of the schema around it: both are asked about the same value. */
function writeBranches(writing: Writing, branches: readonly unknown[], { keyword, parts }: Branches): void {
  const { place, types } = parts;
  const branchPlace = { depth: place.depth + 1, known: types ?? place.known };
  for (let index = 0; index < branches.length && !isFull(writing); index++) {
    if (index > 0) writing.text += ',';
    enter(writing, keyword, String(index));
    writing.write(writing, branches[index], branchPlace);
    leave(writing, 2);
  }
}
