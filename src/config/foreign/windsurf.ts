import { pick, readBoolean, readStrings } from '../json/decode.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readTable, type Translation } from './read-servers.ts';
import { editorSyntax } from './variables.ts';

/** Windsurf: `serverUrl` for HTTP servers, `disabled` and `disabledTools`. */
export const windsurfShape: ForeignShape = {
  title: 'Windsurf',
  matches: () => false,
  read: (root, place) => readTable(pick(root, 'mcpServers'), { place, syntax: editorSyntax, translate }),
};

function translate(translation: Translation): WrittenEntry | string {
  const connection = connectionPart(translation, { urlKeys: ['serverUrl', 'url'] });
  if (typeof connection === 'string') return connection;
  const { fields } = translation;
  return {
    ...connection,
    enabled: fields.take(readBoolean, 'disabled') === true ? false : undefined,
    disabled_tools: fields.take(readStrings, 'disabledTools'),
  };
}
