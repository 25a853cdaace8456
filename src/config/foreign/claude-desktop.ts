import { pick } from '../json/decode.ts';
import { connectionPart } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readTable } from './read-servers.ts';

/** Claude Desktop: stdio servers only in most versions, and no variables. */
export const claudeDesktopShape: ForeignShape = {
  title: 'Claude Desktop',
  matches: () => false,
  read: (root, place) =>
    readTable(pick(root, 'mcpServers'), {
      place,
      syntax: undefined,
      translate: connectionPart,
    }),
};
