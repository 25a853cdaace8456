import { isObject } from '../../../wire/messages.ts';
import { quote } from '../json.ts';
import { writeSchema } from './schema.ts';
import { capture, isOverBudget, recordRewrite, type SchemaWriter } from './schema-writer.ts';

/** Writes the referenced definitions, and those that they reference in turn: each once, so that cycles do no harm. */
export function writeDefinitions(writer: SchemaWriter): void {
  const tables = { $defs: '', definitions: '' };
  writer.maxDepth = writer.budget.definitionDepth;
  let count = 0;
  for (const { table, name, target, path } of writer.references) {
    if (isOverBudget(writer)) return;
    writer.path = [...path];
    writer.pathLength = path.length;
    const text = capture(writer, () => writeSchema(writer, target, { depth: 1, knownTypes: undefined }));
    const member = `${quote(name)}:${text}`;
    writer.lengthBefore += member.length;
    count++;
    tables[table] += tables[table] === '' ? member : `,${member}`;
  }
  writer.pathLength = 0;
  writer.lengthBefore = 0;
  for (const table of ['$defs', 'definitions'] as const) {
    const given = writer.root[table];
    if (given !== undefined) count -= isObject(given) ? Object.keys(given).length : Number.POSITIVE_INFINITY;
    if (tables[table] !== '') writer.text += `,"${table}":{${tables[table]}}`;
  }
  if (count < 0) recordRewrite(writer, 'unused definitions left out', 'nothing refers to them');
}
