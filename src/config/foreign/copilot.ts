import { pick, readStrings } from '../json/decode.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart, timePart } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readTable, type Translation } from './read-servers.ts';

/** GitHub Copilot CLI: `mcpServers` with a list of tools, in which `*` means all. */
export const copilotShape: ForeignShape = {
  title: 'GitHub Copilot CLI',
  matches: () => false,
  read: (root, place) => readTable(pick(root, 'mcpServers'), { place, syntax: undefined, translate }),
};

function translate(translation: Translation): WrittenEntry | string {
  const connection = connectionPart(translation);
  if (typeof connection === 'string') return connection;
  const { fields } = translation;
  const tools = fields.take(readStrings, 'tools');
  return {
    ...connection,
    enabled_tools: tools?.includes('*') === true ? undefined : tools,
    request_timeout_ms: timePart(fields, 'timeout'),
  };
}
