import { createHmac } from 'node:crypto';
import { switchboardDialect } from '../dialects/switchboard.ts';
import type { DecodedEntry } from '../entry/decode-entry.ts';
import type { ConfigFile, FileEntry } from '../files/config-file.ts';
import { projectFolder } from '../files/sources.ts';
import type { HttpSettings, OAuthSettings, StdioSettings } from '../server-entry.ts';
import type { FileView } from '../views/read-views.ts';

/**
 * Returns the keyed hash of everything in an entry that decides what is started or sent where. Values are as written:
 * the user controls the values of variables. Undefined for a broken entry, which nobody can approve.
 */
export function fingerprint(key: Buffer, file: ConfigFile, { id, content }: FileEntry): string | undefined {
  if (content.kind === 'broken') return undefined;
  // A list in a fixed order has only one JSON text; an object has many.
  const transport = transportFacts(content.transport);
  const facts = [
    FORMAT,
    file.realPath,
    file.dialect,
    id,
    transport,
    ...linkFacts(file),
    ...expansionFacts(file, content),
    ...sharingFacts(content),
  ];
  return createHmac('sha256', key).update(JSON.stringify(facts)).digest('hex');
}

/** Returns the keyed hash of everything in a view. Undefined for a broken view, which nobody can approve. */
export function viewFingerprint(key: Buffer, file: ConfigFile, { name, content }: FileView): string | undefined {
  if (content.kind === 'broken') return undefined;
  const { servers, tools } = content.limit;
  const facts = [VIEW_FORMAT, file.realPath, name, servers, tools.allow, tools.deny, ...linkFacts(file)];
  return createHmac('sha256', key).update(JSON.stringify(facts)).digest('hex');
}

/**
 * Returns the folder in which a link was found: relative paths of its entries start there. A link in another folder
 * runs other programs with the same entries, so it needs its own trust.
 */
export function linkedFolder({ source, realPath }: ConfigFile): string | undefined {
  return source.file === realPath ? undefined : projectFolder(source);
}

function linkFacts(file: ConfigFile): readonly string[] {
  const folder = linkedFolder(file);
  return folder === undefined ? [] : [folder];
}

/** In our own config, an entry chooses whether its values name variables. Elsewhere the dialect decides. */
function expansionFacts({ dialect }: ConfigFile, { expandsVariables }: DecodedEntry): readonly string[] {
  return expandsVariables && dialect === switchboardDialect.name ? ['expand_variables'] : [];
}

/** Decides who acts as the user. */
function sharingFacts({ sharesSignIn }: DecodedEntry): readonly string[] {
  return sharesSignIn ? ['shareSignIn'] : [];
}

const FORMAT = 'switchboard trust 1';
const VIEW_FORMAT = 'switchboard view 1';

function transportFacts(transport: StdioSettings | HttpSettings | undefined): unknown {
  switch (transport?.kind) {
    case undefined:
      return null;
    case 'http': {
      const { url, headers, headerEnv, bearerTokenEnv, oauth } = transport;
      return [
        'http',
        url,
        sortedEntries(headers),
        sortedEntries(headerEnv),
        bearerTokenEnv,
        oauth && oauthFacts(oauth),
      ];
    }
    case 'stdio': {
      const { command, args, cwd, env, envVars, inheritEnv } = transport;
      return ['stdio', command, args, cwd, sortedEntries(env), envVars, inheritEnv];
    }
  }
}

function oauthFacts(oauth: OAuthSettings): unknown {
  const { authorizationUrl, tokenUrl, registrationUrl, clientId, clientSecret, clientSecretEnv, scope } = oauth;
  return [authorizationUrl, tokenUrl, registrationUrl, clientId, clientSecret, clientSecretEnv, scope];
}

function sortedEntries(record: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}
