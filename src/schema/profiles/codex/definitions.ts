import { writeSchema } from './schema.ts';
import { capture, isFull, type Writing } from './writing.ts';

/** Those that something refers to, and those that they refer to in turn: each once, so that circles do no harm. */
export function writeDefinitions(writing: Writing): void {
  const tables = { $defs: '', definitions: '' };
  for (const { table, name, target, path } of writing.references.values()) {
    if (isFull(writing)) return;
    writing.path = [...path];
    const text = capture(writing, () => writeSchema(writing, target, { depth: 1, name, known: undefined }));
    const member = `${JSON.stringify(name)}:${text}`;
    writing.lengthBefore += member.length;
    tables[table] += tables[table] === '' ? member : `,${member}`;
  }
  writing.path = [];
  writing.lengthBefore = 0;
  for (const table of ['$defs', 'definitions'] as const) {
    if (tables[table] !== '') writing.text += `,"${table}":{${tables[table]}}`;
  }
}
