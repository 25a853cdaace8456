import { checkForeignName } from '../entry/entry-name.ts';
import { elementsOf, lineOf } from '../json/json-value.ts';
import { type Dialect, FOREIGN_TRANSPORTS } from './dialect.ts';
import { inferName } from './infer-name.ts';

/** `[ { "name": …, "command": … } ]` */
export const listDialect: Dialect = {
  name: 'list',
  expandsVariables: true,
  transports: FOREIGN_TRANSPORTS,
  checkName: checkForeignName,
  matches: ({ content }) => Array.isArray(content),
  readServers: (root) => elementsOf(root).map((value) => ({ id: inferName(value), line: lineOf(value), value })),
};
