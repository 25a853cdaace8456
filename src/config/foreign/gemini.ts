import { programName } from '../../base/program-name.ts';
import { isObject } from '../../wire/messages.ts';
import { pick, readStrings } from '../json/decode.ts';
import type { JsonValue } from '../json/json-value.ts';
import type { WrittenEntry } from '../write/write-entry.ts';
import { connectionPart, oauthPart, timePart } from './entry-parts.ts';
import type { Fields } from './fields.ts';
import type { ForeignShape } from './foreign-server.ts';
import { readTable, type Translation } from './read-servers.ts';
import { dollarSyntax } from './variables.ts';

/** Gemini CLI: `httpUrl` for HTTP, `url` for SSE, and `mcp.allowed` and `mcp.excluded` beside the servers. */
export const geminiShape: ForeignShape = {
  title: 'Gemini CLI',
  matches: ({ content }) =>
    isObject(content) &&
    isObject(content['mcpServers']) &&
    isObject(content['mcp']) &&
    ['allowed', 'excluded', 'serverCommand'].some((key) => isObject(content['mcp']) && key in content['mcp']),
  read(root, place) {
    const isEnabled = readRules(root);
    return readTable(pick(root, 'mcpServers'), {
      place,
      syntax: dollarSyntax,
      translate: (translation) => translate(translation, isEnabled(translation.name)),
    });
  },
};

function readRules(root: JsonValue): (name: string) => boolean {
  const mcp = pick(root, 'mcp');
  const list = (key: string) => {
    const found = mcp && pick(mcp, key);
    return found && readStrings(found);
  };
  const [allowed, excluded] = [list('allowed'), list('excluded')];
  return (name) => allowed?.includes(name) !== false && excluded?.includes(name) !== true;
}

function translate(translation: Translation, isEnabled: boolean): WrittenEntry | string {
  const { fields, text } = translation;
  if (fields.has('tcp')) return 'Switchboard does not connect to WebSocket servers';
  const connection = connectionPart(translation, { urlKeys: ['httpUrl', 'url'] });
  if (typeof connection === 'string') return connection;
  const oauth = fields.open('oauth');
  dropUnused(fields, oauth);
  return {
    ...connection,
    oauth: oauthPart(oauth, text, { scope: ['scopes'] }),
    enabled: isEnabled ? undefined : false,
    enabled_tools: fields.take(readStrings, 'includeTools'),
    disabled_tools: fields.take(readStrings, 'excludeTools'),
    request_timeout_ms: timePart(fields, 'timeout'),
  };
}

function dropUnused(fields: Fields, oauth: Fields | undefined): void {
  fields.drop('trust', 'the client that you connect decides which calls need your approval');
  fields.drop('description', 'only Gemini CLI shows it');
  for (const key of ['authProviderType', 'targetAudience', 'targetServiceAccount'])
    fields.drop(key, `Switchboard does not sign in with Google credentials: use headers or ${programName()} mcp login`);
  oauth?.drop('enabled', `Switchboard signs in when you run ${programName()} mcp login`);
  oauth?.drop('redirectUri', 'Switchboard uses a redirect URL of its own');
}
