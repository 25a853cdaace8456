import { isUtf8 } from 'node:buffer';
import { isObject } from '../../wire/messages.ts';
import { type JsonValue, parseJsonText } from '../json/json-value.ts';
import { toConfigError } from '../problem.ts';

/**
 * Parses TOML to the form of a JSON file in which each server is on the line of its table, so that messages about a
 * server name a line of the original.
 */
export async function parseTomlText(file: string, content: Buffer): Promise<JsonValue> {
  const fail = (line: number, message: string, cause?: unknown) => toConfigError({ file, line, message }, cause);
  if (!isUtf8(content)) throw fail(1, 'The file is not valid UTF-8: save it again as UTF-8.');
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  const { parse, TomlError } = await import('smol-toml');
  try {
    return toJsonValue(file, text, parse(text));
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // Its message repeats the text of the line, which may contain a secret.
    const [what = 'it cannot be parsed'] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw fail(error.line, `Not TOML at column ${error.column}: ${what}.`, error);
  }
}

function toJsonValue(file: string, text: string, root: Readonly<Record<string, unknown>>): JsonValue {
  const { mcp_servers: servers, ...others } = root;
  if (!isObject(servers)) return parseJsonText(file, Buffer.from(JSON.stringify(root)));
  let written = '{"mcp_servers":{';
  let line = 1;
  for (const [index, [name, server]] of Object.entries(servers).entries()) {
    const padding = Math.max(0, lineOfTable(text, name) - line);
    line += padding;
    written += `${index === 0 ? '' : ','}${'\n'.repeat(padding)}${JSON.stringify(name)}:${JSON.stringify(server)}`;
  }
  const rest = JSON.stringify(others).slice(1, -1);
  return parseJsonText(file, Buffer.from(`${written}}${rest === '' ? '' : `,${rest}`}}`));
}

/** Returns the line of `[mcp_servers.<name>]` or of a table inside it; 1 if the server is written in another way. */
function lineOfTable(text: string, name: string): number {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const table = new RegExp(
    String.raw`^[ \t]*(?:\[[ \t]*mcp_servers[ \t]*\.[ \t]*|mcp_servers\.)?["']?${escaped}["']?[ \t]*[\].=]`,
    'm',
  );
  const at = text.search(table);
  return at === -1 ? 1 : text.slice(0, at).split('\n').length;
}
