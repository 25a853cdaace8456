import { isObject } from '../../wire/messages.ts';
import { URL_KEYS } from '../entry/decode-transport.ts';
import { checkForeignName, commandName } from '../entry/entry-name.ts';
import { elementsOf, type JsonValue, lineOf } from '../json/json-value.ts';
import { type Dialect, FOREIGN_TRANSPORTS } from './dialect.ts';

/** `[ { "name": …, "command": … } ]` */
export const listDialect: Dialect = {
  name: 'list',
  expandsVariables: true,
  transports: FOREIGN_TRANSPORTS,
  checkName: checkForeignName,
  matches: ({ content }) => Array.isArray(content),
  readServers: (root) => elementsOf(root).map((value) => ({ id: inferName(value), line: lineOf(value), value })),
};

/** `{ "command": … }`: the file is the server. */
export const singleServerDialect: Dialect = {
  name: 'single',
  expandsVariables: true,
  transports: FOREIGN_TRANSPORTS,
  checkName: checkForeignName,
  matches: ({ content }) => isObject(content) && ['command', ...URL_KEYS].some((key) => Object.hasOwn(content, key)),
  readServers: (root) => [{ id: inferName(root), line: lineOf(root), value: root }],
};

/**
 * Returns the server's `name`, else the base name of its command, else the host of its URL. Validation happens
 * elsewhere.
 */
function inferName({ content }: JsonValue): string | undefined {
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
