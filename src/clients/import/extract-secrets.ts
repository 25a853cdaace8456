import { omitUndefined } from '../../base/omit-undefined.ts';
import { isSecret } from '../../config/secrets/secret-keys.ts';
import { checkVariableName } from '../../config/secrets/secret-store.ts';
import type { WrittenEntry } from '../../config/write/write-entry.ts';
import { isObject } from '../../wire/messages.ts';
import { type Replacer, replaceArgumentSecrets, replaceUrlSecrets } from './argument-secrets.ts';
import { type SecretNames, serverVariable } from './secret-names.ts';

/** An entry without secrets. */
export interface CleanEntry {
  readonly entry: WrittenEntry;
  /** What was replaced: the key in the entry, and the variable that it names now. */
  readonly secrets: readonly { readonly key: string; readonly variable: string }[];
  /** Keys whose secrets could not be replaced. */
  readonly inline: readonly string[];
}

type Claim = (key: string, value: string, preferred: string) => string;

/** Replaces the secrets of an entry by variables. `names` chooses the variables and keeps their values. */
export function extractSecrets(id: string, entry: WrittenEntry, names: SecretNames): CleanEntry {
  const secrets: { key: string; variable: string }[] = [];
  const claim: Claim = (key, value, preferred) => {
    const variable = names.claim(value, preferred);
    secrets.push({ key, variable });
    return variable;
  };
  // Variables inside texts need expansion, which would also change what the other program takes literally.
  const canExpand = entry['expand_variables'] === true || !JSON.stringify(entry).includes('${');
  const toVariable = (key: string) => (value: string, name: string) => claim(key, value, serverVariable(id, name));
  const signedIn = extractClientSecret(id, extractHeaders(id, entry, claim), claim);
  const { cleaned, inline } = extractEnvironment(id, signedIn, { claim, names, canExpand });
  const texts = canExpand ? replaceTexts(entry, toVariable) : {};
  const stays = canExpand ? [] : Object.keys(replaceTexts(entry, () => () => 'X'));
  return {
    entry: canExpand ? withExpansion({ ...cleaned, ...texts }) : cleaned,
    secrets,
    inline: [...inline, ...stays],
  };
}

function extractHeaders(id: string, entry: WrittenEntry, claim: Claim): WrittenEntry {
  const headers: Record<string, unknown> = {};
  const fromVariables: Record<string, unknown> = isObject(entry['header_env']) ? { ...entry['header_env'] } : {};
  let bearer = entry['bearer_token_env_var'];
  const expands = entry['expand_variables'] === true;
  for (const [name, value] of isObject(entry['headers']) ? Object.entries(entry['headers']) : []) {
    if (typeof value !== 'string') continue;
    const isAuthorization = name.toLowerCase() === 'authorization';
    const [, token] = (isAuthorization ? /^Bearer\s+(\S+)$/i.exec(value) : null) ?? [];
    const [, whole] = (expands ? REFERENCE.exec(value) : null) ?? [];
    const [, inToken] = (expands && token !== undefined ? REFERENCE.exec(token) : null) ?? [];
    if (inToken !== undefined) bearer = inToken;
    else if (whole !== undefined) fromVariables[name] = whole;
    else if (expands && value.includes('${')) headers[name] = value;
    else if (token !== undefined) bearer = claim(`headers.${name}`, token, serverVariable(id, 'TOKEN'));
    else if (isSecret(name, value) || SECRET_HEADER.test(name))
      fromVariables[name] = claim(`headers.${name}`, value, serverVariable(id, name));
    else headers[name] = value;
  }
  return replaceMembers(entry, {
    headers: unlessEmpty(headers),
    header_env: unlessEmpty(fromVariables),
    bearer_token_env_var: bearer,
  });
}

/** `X-Key`: unlike a variable, a header of such a name is always a credential. */
const SECRET_HEADER = /(?:^|[-_])key$/i;
const REFERENCE = /^\$\{([A-Za-z_]\w*)\}$/;

function extractClientSecret(id: string, entry: WrittenEntry, claim: Claim): WrittenEntry {
  const { oauth } = entry;
  if (!isObject(oauth) || typeof oauth['client_secret'] !== 'string') return entry;
  const { client_secret: value, ...rest } = oauth;
  const [, reference] = (entry['expand_variables'] === true ? REFERENCE.exec(String(value)) : null) ?? [];
  const variable = reference ?? claim('oauth.client_secret', String(value), serverVariable(id, 'CLIENT_SECRET'));
  return { ...entry, oauth: { ...rest, client_secret_env: variable } };
}

function extractEnvironment(
  id: string,
  entry: WrittenEntry,
  { claim, names, canExpand }: { readonly claim: Claim; readonly names: SecretNames; readonly canExpand: boolean },
): { readonly cleaned: WrittenEntry; readonly inline: readonly string[] } {
  const env: Record<string, unknown> = {};
  const inline: string[] = [];
  const inherited = new Set<unknown>(Array.isArray(entry['env_vars']) ? entry['env_vars'] : []);
  for (const [name, value] of isObject(entry['env']) ? Object.entries(entry['env']) : []) {
    const isReference = entry['expand_variables'] === true && String(value).includes('${');
    env[name] = value;
    if (typeof value !== 'string' || isReference || !isSecret(name, value)) continue;
    if (canExpand) env[name] = `\${${claim(`env.${name}`, value, serverVariable(id, name))}}`;
    else if (checkVariableName(name) === undefined && names.isUsable(name, value)) {
      // Without expansion, the server can get it only under its own name.
      inherited.add(claim(`env.${name}`, value, name));
      delete env[name];
    } else inline.push(`env.${name}`);
  }
  const variables = inherited.size === 0 ? undefined : [...inherited];
  return { cleaned: replaceMembers(entry, { env: unlessEmpty(env), env_vars: variables }), inline };
}

function replaceTexts({ args, url }: WrittenEntry, toVariable: (key: string) => Replacer): WrittenEntry {
  return omitUndefined({
    args: Array.isArray(args) ? replaceArgumentSecrets(args, toVariable('args')) : undefined,
    url: typeof url === 'string' ? replaceUrlSecrets(url, toVariable('url')) : undefined,
  });
}

/** Sets `expand_variables` exactly if a value has a variable. */
function withExpansion(entry: WrittenEntry): WrittenEntry {
  const { expand_variables: _, ...values } = entry;
  return /\$\{[A-Za-z_]\w*(?:\}|:-)/.test(JSON.stringify(values)) ? { ...values, expand_variables: true } : values;
}

/** Replaces members at their place in the entry, and adds new ones at the end. */
function replaceMembers(entry: WrittenEntry, members: WrittenEntry): WrittenEntry {
  return omitUndefined({ ...entry, ...members });
}

function unlessEmpty(value: Readonly<Record<string, unknown>>): object | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}
