import { isObject, quote } from '../json.ts';
import { writeSchema } from './schema.ts';
import { capture, isFull, note, type Writing } from './schema-writer.ts';

/** Those that something refers to, and those that they refer to in turn: each once, so that circles do no harm. */
export function writeDefinitions(writing: Writing): void {
  const tables = { $defs: '', definitions: '' };
  writing.maxDepth = writing.thrift.definitionDepth;
  let count = 0;
  for (const { table, name, target, path } of writing.references) {
    if (isFull(writing)) return;
    writing.path = [...path];
    writing.pathLength = path.length;
    const text = capture(writing, () => writeSchema(writing, target, { depth: 1, known: undefined }));
    const member = `${quote(name)}:${text}`;
    writing.lengthBefore += member.length;
    count++;
    tables[table] += tables[table] === '' ? member : `,${member}`;
  }
  writing.pathLength = 0;
  writing.lengthBefore = 0;
  for (const table of ['$defs', 'definitions'] as const) {
    const given = writing.root[table];
    if (given !== undefined) count -= isObject(given) ? Object.keys(given).length : Number.POSITIVE_INFINITY;
    if (tables[table] !== '') writing.text += `,"${table}":{${tables[table]}}`;
  }
  if (count < 0) note(writing, 'unused definitions left out', 'nothing refers to them');
}
