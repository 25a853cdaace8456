import { toConfigError } from '../../../config/problem.ts';
import { isObject } from '../../../wire/messages.ts';
import { appendTable, removeTable, removeValue, setValue } from '../toml/edit-table.ts';
import type { DocumentFormat } from './document-format.ts';

/** TOML, for tables such as `[mcp_servers.name]` and for their values. Loads the parser, which few commands need. */
export async function loadTomlFormat(): Promise<DocumentFormat> {
  const { parse } = await import('smol-toml');
  return {
    empty: '',
    parse(text, file) {
      try {
        return toPlainObject(parse(text.replace(/^\ufeff/, ''), { integersAsBigInt: 'asNeeded' }));
      } catch (error) {
        throw toConfigError({ file, ...describe(error) }, error);
      }
    },
    set(text, path, value) {
      const [key = ''] = path.slice(-1);
      if (!isObject(value)) return setValue(text, { path: path.slice(0, -1), key, value });
      return appendTable(removeTable(text, path), path, value);
    },
    remove: (text, path) =>
      path.length > TABLE_DEPTH ? removeValue(text, path.slice(0, -1), path.at(-1) ?? '') : removeTable(text, path),
  };
}

/** A server is a table of its own; what is below it is a value. */
const TABLE_DEPTH = 2;

/** Omits the surrounding text, which may be a secret. */
function describe(error: unknown): { readonly line: number; readonly message: string } {
  const line = error instanceof Error && 'line' in error && typeof error.line === 'number' ? error.line : 0;
  const [reason = ''] = (error instanceof Error ? error.message : '').split('\n');
  return { line, message: `Not TOML: ${reason.replace(/^Invalid TOML document: /, '') || 'unknown error'}.` };
}

/** The parser's tables have no prototype, so they would differ from any object of ours. */
function toPlainObject(table: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, toPlainValue(value)]));
}

function toPlainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toPlainValue);
  const isTable = typeof value === 'object' && value !== null && !(value instanceof Date);
  return isTable ? toPlainObject(value) : value;
}
