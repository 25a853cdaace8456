type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;
export type TomlTable = { readonly [key: string]: TomlValue };

/** Writes a table as a TOML document: plain values first, because a `[header]` claims everything after it. */
export function toToml(table: TomlTable, path: readonly string[] = []): string {
  const plain = Object.entries(table).filter(([, value]) => !isTable(value));
  const header = path.length > 0 ? [`[${path.map(toKey).join('.')}]`] : [];
  const lines = plain.map(([key, value]) => `${toKey(key)} = ${toValue(value)}`);
  const own = [...header, ...lines].map((line) => `${line}\n`).join('');
  const nested = Object.entries(table).map(([key, value]) => (isTable(value) ? toToml(value, [...path, key]) : ''));
  return own + nested.join('');
}

/** Merges the second table into the first. Nested tables are merged, other values are replaced. */
export function mergeToml(base: TomlTable, over: TomlTable): TomlTable {
  const merged: Record<string, TomlValue> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = merged[key];
    merged[key] = isTable(value) && below !== undefined && isTable(below) ? mergeToml(below, value) : value;
  }
  return merged;
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}

function toKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/u.test(key) ? key : quote(key);
}

function toValue(value: TomlValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isTable(value)) {
    const members = Object.entries(value).map(([key, member]) => `${toKey(key)} = ${toValue(member)}`);
    return `{ ${members.join(', ')} }`;
  }
  return `[${value.map(toValue).join(', ')}]`;
}

/** All JSON escapes are valid in a basic string. TOML requires one more, for DEL. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
