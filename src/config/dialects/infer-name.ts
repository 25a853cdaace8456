import { isObject } from '../../wire/messages.ts';
import { URL_KEYS } from '../entry/decode-transport.ts';
import { commandName } from '../entry/entry-name.ts';
import type { JsonValue } from '../json/json-value.ts';

/**
 * Returns the server's `name`, else the base name of its command, else the host of its URL. Validation happens
 * elsewhere.
 */
export function inferName({ content }: JsonValue): string | undefined {
  if (!isObject(content)) return undefined;
  const name = textUnder(content, ['name']);
  if (name !== undefined) return name;
  const command = textUnder(content, ['command']);
  if (command !== undefined) return commandName(command);
  const url = textUnder(content, URL_KEYS);
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}

function textUnder(server: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  const values = keys.map((key) => (Object.hasOwn(server, key) ? server[key] : undefined));
  return values.find((value) => typeof value === 'string');
}
