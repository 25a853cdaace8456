import { omitUndefined } from '../../base/omit-undefined.ts';
import type { RawServer } from '../dialects/dialect.ts';
import { readKeyedServers } from '../dialects/keyed.ts';
import type { JsonValue } from '../json/json-value.ts';
import { toProblem } from '../problem.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { type Fields, openFields } from './fields.ts';
import type { ForeignPlace, ForeignServer, ForeignServers, SkippedServer } from './foreign-server.ts';
import { createTextTranslator, type TextTranslator, type VariableSyntax } from './variables.ts';

/** One server while it is translated. */
export interface Translation {
  readonly name: string;
  readonly fields: Fields;
  readonly text: TextTranslator;
  readonly place: ForeignPlace;
}

export interface ReadOptions {
  readonly place: ForeignPlace;
  /** Undefined if the program does not expand variables. */
  readonly syntax: VariableSyntax | undefined;
  /** The reason for keys that `translate` does not use. */
  readonly unusedReason?: string;
  /** Returns the entry with the keys of our own config, or why the server cannot be translated. */
  translate(translation: Translation): WrittenEntry | string;
}

/** Translates the servers of a table with their names as keys. */
export function readTable(table: JsonValue | undefined, options: ReadOptions): ForeignServers {
  return readServers(readKeyedServers(table), options);
}

/** Translates each server. One that is broken is skipped, with the reason. */
export function readServers(servers: readonly RawServer[], options: ReadOptions): ForeignServers {
  const found: ForeignServer[] = [];
  const skipped: SkippedServer[] = [];
  for (const raw of servers) {
    const name = raw.id ?? '';
    const read = name === '' ? 'it has no name' : readServer(name, raw, options);
    if (typeof read === 'string') skipped.push({ name, line: raw.line, reason: read });
    else found.push(read);
  }
  return { servers: found, skipped };
}

function readServer(
  name: string,
  { line, value }: RawServer,
  { place, syntax, translate, unusedReason }: ReadOptions,
): ForeignServer | string {
  try {
    const fields = openFields(value);
    const text = createTextTranslator(syntax, place, fields.note);
    const entry = translate({ name, fields, text, place });
    if (typeof entry === 'string') return entry;
    const expansion = text.hasVariables() ? { expand_variables: true } : {};
    return {
      name,
      line,
      project: place.project,
      entry: { ...omitUndefined(entry), ...expansion },
      notCarried: fields.notCarried(unusedReason),
    };
  } catch (error) {
    return toProblem(error).message.replace(/\.$/, '');
  }
}
