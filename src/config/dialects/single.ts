import { isObject } from '../../wire/messages.ts';
import { URL_KEYS } from '../entry/decode-transport.ts';
import { checkForeignName } from '../entry/entry-name.ts';
import { lineOf } from '../json/json-value.ts';
import { type Dialect, FOREIGN_TRANSPORTS } from './dialect.ts';
import { inferName } from './infer-name.ts';

/** `{ "command": … }`: the file is the server. */
export const singleServerDialect: Dialect = {
  name: 'single',
  expandsVariables: true,
  transports: FOREIGN_TRANSPORTS,
  checkName: checkForeignName,
  matches: ({ content }) => isObject(content) && ['command', ...URL_KEYS].some((key) => Object.hasOwn(content, key)),
  readServers: (root) => [{ id: inferName(root), line: lineOf(root), value: root }],
};
