import { writeItems } from './items.ts';
import { writeProperties } from './properties.ts';
import { type SchemaKeywords, usableList } from './schema-keywords.ts';
import { enter, isOverBudget, leave, recordRewrite, type SchemaWriter } from './schema-writer.ts';

/** Returns whether the schema contains other schemas, or requires properties. */
export function hasNestedSchemas(keywords: SchemaKeywords): boolean {
  return (
    keywords.properties !== undefined ||
    keywords.required !== undefined ||
    keywords.items !== undefined ||
    keywords.anyOf !== undefined ||
    keywords.additionalProperties !== undefined ||
    keywords.allOf !== undefined ||
    keywords.oneOf !== undefined ||
    keywords.prefixItems !== undefined
  );
}

export function writeNestedSchemas(writer: SchemaWriter, keywords: SchemaKeywords): void {
  writeProperties(writer, keywords);
  if (keywords.context.depth === 0) {
    if (keywords.items !== undefined) recordRewrite(writer, 'items left out', 'the arguments of a call are an object');
    return;
  }
  writeItems(writer, keywords);
  writeCompositions(writer, keywords);
}

/**
 * Writes compositions. `oneOf` becomes `anyOf`: once Codex has dropped the constraints that distinguish its schemas, a
 * value may match two of them, and `oneOf` would reject it. If both are present, the second goes into `allOf`.
 */
function writeCompositions(writer: SchemaWriter, keywords: SchemaKeywords): void {
  if (keywords.anyOf === undefined && keywords.oneOf === undefined && keywords.allOf === undefined) return;
  const { maxBranches } = writer.budget;
  const anyOf = usableList(keywords.anyOf, maxBranches);
  const oneOf = usableList(keywords.oneOf, maxBranches);
  const allOf = usableList(keywords.allOf, maxBranches);
  if (keywords.anyOf !== undefined && anyOf === undefined) recordRewrite(writer, 'anyOf left out', UNUSABLE);
  if (keywords.allOf !== undefined && allOf === undefined) recordRewrite(writer, 'allOf left out', UNUSABLE);
  if (keywords.oneOf !== undefined) {
    if (oneOf === undefined) recordRewrite(writer, 'oneOf left out', UNUSABLE);
    else
      recordRewrite(
        writer,
        'oneOf became anyOf',
        'without the parts that Codex drops, a value may match two of its schemas',
      );
  }
  const isBoth = anyOf !== undefined && oneOf !== undefined;
  if (anyOf !== undefined) writeAnyOf(writer, anyOf, { keyword: 'anyOf', keywords });
  else if (oneOf !== undefined) writeAnyOf(writer, oneOf, { keyword: 'oneOf', keywords });
  if (allOf === undefined && !isBoth) return;
  writer.text += `${writer.separator}"allOf":[`;
  if (allOf !== undefined) writeBranches(writer, allOf, { keyword: 'allOf', keywords });
  if (isBoth) {
    writer.text += allOf === undefined ? '{' : ',{';
    writer.separator = '';
    writeAnyOf(writer, oneOf, { keyword: 'oneOf', keywords });
    writer.text += '}';
  }
  writer.text += ']';
  writer.separator = ',';
}

const UNUSABLE = 'it is empty, not a list, or too long';

interface Branches {
  readonly keyword: 'anyOf' | 'oneOf' | 'allOf';
  readonly keywords: SchemaKeywords;
}

function writeAnyOf(writer: SchemaWriter, branches: readonly unknown[], options: Branches): void {
  const mayBeNull = options.keywords.nullable === true && options.keywords.types === undefined;
  if (mayBeNull) recordRewrite(writer, 'nullable became a schema of null', 'Codex drops nullable');
  writer.text += `${writer.separator}"anyOf":[`;
  writeBranches(writer, branches, options);
  writer.text += mayBeNull ? ',{"type":"null"}]' : ']';
  writer.separator = ',';
}

/** Writes branches. A branch without a type has the one of the schema around it: both apply to the same value. */
function writeBranches(writer: SchemaWriter, branches: readonly unknown[], { keyword, keywords }: Branches): void {
  const { context, types } = keywords;
  const branchContext = { depth: context.depth + 1, knownTypes: types ?? context.knownTypes };
  for (let index = 0; index < branches.length && !isOverBudget(writer); index++) {
    if (index > 0) writer.text += ',';
    enter(writer, keyword, String(index));
    writer.write(writer, branches[index], branchContext);
    leave(writer, 2);
  }
}
