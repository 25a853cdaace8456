import { isObject } from '../../wire/messages.ts';
import { readList, readString } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import { type Fields, openFields } from './fields.ts';
import type { NotCarried } from './foreign-server.ts';
import { toVariableName } from './variables.ts';

/** One object of a `server.json`. Every key may be in camelCase or snake_case. */
export interface RegistryReader {
  text(...keys: readonly string[]): string | undefined;
  flag(key: string): boolean;
  take(key: string): JsonValue | undefined;
  list(key: string): readonly RegistryReader[];
  nested(key: string): RegistryReader | undefined;
  drop(key: string, reason: string): void;
  /** Returns `value`, else `default`, with its `{name}` parts replaced; undefined if the user must choose one. */
  value(): string | undefined;
  /** Returns the name of the variable that stands for this input. */
  variable(): string;
  /** Returns a reference to that variable. */
  reference(): string;
  /** Replaces `{name}` by the default of that variable, or by a reference. */
  expand(text: string, variables: unknown): string;
  hasVariables(): boolean;
  notCarried(): readonly NotCarried[];
}

export function createRegistryReader(value: JsonValue, prefix: string): RegistryReader {
  return createReader(openFields(value, prefix), prefix, { hasVariables: false });
}

function createReader(fields: Fields, prefix: string, state: { hasVariables: boolean }): RegistryReader {
  const spellings = (keys: readonly string[]) => keys.flatMap((key) => [key, toSnakeCase(key)]);
  const inner: RegistryReader[] = [];
  const text = (...keys: readonly string[]) => fields.take(readString, ...spellings(keys));
  const refer = (name: string): string => {
    state.hasVariables = true;
    return `\${${toVariableName(name).toUpperCase()}}`;
  };
  const expand = (written: string, variables: unknown) =>
    written.replace(/\{([\w-]+)\}/g, (_, name: string) => {
      const declared = isObject(variables) ? variables[name] : undefined;
      const known = isObject(declared) ? (declared['value'] ?? declared['default']) : undefined;
      return typeof known === 'string' ? known : refer(name);
    });
  const keep = (reader: RegistryReader) => {
    inner.push(reader);
    return reader;
  };
  const open = (found: JsonValue, key: string) => keep(createReader(openFields(found, key), key, state));
  const variable = () => toVariableName(text('name', 'valueHint') ?? 'value').toUpperCase();
  return {
    text,
    expand,
    variable,
    flag: (key) => fields.take((value) => value.content === true, ...spellings([key])) ?? false,
    take: (key) => fields.take((value) => value, ...spellings([key])),
    list: (key) =>
      fields.take(
        (value) => readList(value).map((item, index) => open(item, `${prefix}${key}[${index}].`)),
        ...spellings([key]),
      ) ?? [],
    nested: (key) => fields.take((value) => open(value, `${prefix}${key}.`), ...spellings([key])),
    drop: (key, reason) => {
      for (const spelling of new Set(spellings([key]))) fields.drop(spelling, reason);
    },
    value() {
      const variables = fields.take((value) => value.content, 'variables');
      const written = text('value');
      const fallback = text('default');
      for (const key of DESCRIPTIVE) fields.take(() => undefined, ...spellings([key]));
      const chosen = written ?? fallback;
      return chosen === undefined ? undefined : expand(chosen, variables);
    },
    reference: () => refer(variable()),
    hasVariables: () => state.hasVariables,
    notCarried: () => [...fields.notCarried(), ...inner.flatMap((reader) => reader.notCarried())],
  };
}

/** Keys that describe an input to the user and have no effect on the server. */
const DESCRIPTIVE = ['description', 'isRequired', 'isSecret', 'format', 'choices', 'placeholder'];

function toSnakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
