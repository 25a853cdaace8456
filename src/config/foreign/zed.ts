import { isObject } from '../../wire/messages.ts';
import { pick, readBoolean, readNonEmptyString, readStrings } from '../json/decode.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart, readTextMap, unlessEmpty } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readTable, type Translation } from './read-servers.ts';

/** Zed: `context_servers`. Older versions put `path`, `args` and `env` into an object under `command`. */
export const zedShape: ForeignShape = {
  title: 'Zed',
  matches: ({ content }) => isObject(content) && isObject(content['context_servers']),
  read: (root, place) => readTable(pick(root, 'context_servers'), { place, ...TRANSLATION }),
};

const TRANSLATION = { syntax: undefined, unusedReason: 'only Zed uses it', translate };

function translate(translation: Translation): WrittenEntry | string {
  const { fields } = translation;
  const source = fields.take((value) => value.content, 'source');
  const isExtension = source === 'extension' || (!fields.has('command') && !fields.has('url'));
  if (isExtension) return 'it is a Zed extension, which only Zed can start';
  const connection = readConnection(translation);
  if (typeof connection === 'string') return connection;
  fields.drop('timeout', 'its unit depends on the version of Zed: set request_timeout_ms');
  return { ...connection, enabled: fields.take(readBoolean, 'enabled') === false ? false : undefined };
}

function readConnection(translation: Translation): WrittenEntry | string {
  const { fields, text } = translation;
  if (!isObject(fields.take((value) => value.content, 'command'))) return connectionPart(translation);
  const command = fields.open('command');
  if (command?.has('path') !== true) return 'its command has no path';
  return {
    transport: 'stdio',
    command: command.take(readNonEmptyString, 'path'),
    args: unlessEmpty(command.take(readStrings, 'args') ?? []),
    env: unlessEmpty(command.take((value) => readTextMap(value, text), 'env') ?? {}),
  };
}
