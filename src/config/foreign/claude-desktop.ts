import { readKeyedServers } from '../dialects/keyed.ts';
import { pick } from '../json/decode.ts';
import { connectionPart } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readServers } from './read-servers.ts';

/** Claude Desktop: stdio servers only in most versions, and no variables. */
export const claudeDesktopShape: ForeignShape = {
  title: 'Claude Desktop',
  matches: () => false,
  read: (root, place) =>
    readServers(readKeyedServers(pick(root, 'mcpServers')), {
      place,
      syntax: undefined,
      translate: connectionPart,
    }),
};
