import { pick } from '../json/decode.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart, oauthPart } from './entry-parts.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readTable, type Translation } from './read-servers.ts';
import { editorSyntax } from './variables.ts';

/** Cursor: `mcpServers` with the variables of editors, `envFile`, and `auth` for sign-in. */
export const cursorShape: ForeignShape = {
  title: 'Cursor',
  matches: () => false,
  read: (root, place) => readTable(pick(root, 'mcpServers'), { place, syntax: editorSyntax, translate }),
};

function translate(translation: Translation): WrittenEntry | string {
  const connection = connectionPart(translation);
  if (typeof connection === 'string') return connection;
  const { fields, text } = translation;
  const spellings = { client_id: ['CLIENT_ID'], client_secret: ['CLIENT_SECRET'], scope: ['scopes'] };
  return { ...connection, oauth: oauthPart(fields.open('auth'), text, spellings) };
}
