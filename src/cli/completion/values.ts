import { CLIENT_IDS } from '../../clients/clients.ts';
import type { KnownServer, KnownTool } from './known-names.ts';

/** A complete word that may replace the one at the cursor. */
export interface Candidate {
  readonly word: string;
  /** A short description; may be empty. */
  readonly description: string;
}

/** Sources of names, read only when a name can follow. */
export interface NameSource {
  /** Returns the ids of the servers in the config, or in this one file. */
  serverIds(config: string | undefined): readonly string[];
  /** Returns the names of the views in the config, or in this one file. */
  viewNames(config: string | undefined): readonly string[];
  /** Returns the known tools of the servers. */
  knownServers(): ReadonlyMap<string, KnownServer>;
}

interface ValueContext {
  readonly current: string;
  /** The preceding arguments of the same command. */
  readonly positionals: readonly string[];
  readonly names: NameSource;
  /** The value of `--config` on the line. */
  readonly config: string | undefined;
}

/**
 * Returns all values of a kind, as defined in `command-spec.ts`. The shell completes files and folders; free text has
 * no completion.
 */
export function valuesOf(kind: string, context: ValueContext): readonly Candidate[] {
  switch (kind) {
    case '<server>':
      return idsIn(context).map(withoutDescription);
    case '<client>':
      return CLIENT_IDS.filter((id) => !context.positionals.includes(id)).map(withoutDescription);
    case '<view>':
      return context.names.viewNames(context.config).map(withoutDescription);
    case '<servers>':
      return serverList(context);
    case '<server.>':
      return idsIn(context).map((id) => withoutDescription(`${id}.`));
    case '<server.tool>':
      return qualifiedTools(context);
    case '<server[.tool]>':
      return [...idsIn(context).map(withoutDescription), ...qualifiedTools(context).filter(isTool)];
    case '<setting>':
      return SETTING_KEYS.map(withoutDescription);
    case '<setting=value>':
      return SETTING_KEYS.map((key) => withoutDescription(`${key}${MAP_KEYS.includes(key) ? '.' : '='}`));
    case '<key=value>':
      return toolArguments(context);
    default:
      return kind === '' || kind.startsWith('<') ? [] : kind.split('|').map(withoutDescription);
  }
}

/** Keys of an entry. `entryKeys` in config has them too, but costs too much to load for a completion. */
const MAP_KEYS: readonly string[] = ['env', 'headers', 'header_env', 'oauth'];
const SETTING_KEYS: readonly string[] = [
  ...['command', 'args', 'cwd', 'env', 'env_vars', 'inherit_env', 'framing', 'url', 'headers', 'header_env'],
  ...['bearer_token_env_var', 'oauth', 'transport', 'enabled', 'enabled_tools', 'disabled_tools'],
  ...['startup_timeout_ms', 'request_timeout_ms', 'start', 'pin', 'shareSignIn', 'restart', 'share'],
  'expand_variables',
];

function withoutDescription(word: string): Candidate {
  return { word, description: '' };
}

function idsIn({ names, config }: ValueContext): readonly string[] {
  return names.serverIds(config);
}

/** Completes `a,b,…`: keeps the text before the last comma. */
function serverList(context: ValueContext): readonly Candidate[] {
  const head = context.current.slice(0, context.current.lastIndexOf(',') + 1);
  const taken = head.split(',');
  const free = idsIn(context).filter((id) => !taken.includes(id) && !id.includes(','));
  return free.map((id) => withoutDescription(head + id));
}

/** A candidate that ends with a dot is a server whose tools follow. */
function isTool({ word }: Candidate): boolean {
  return !word.endsWith('.');
}

/** Completes like a path: first the server, then its tools. */
function qualifiedTools(context: ValueContext): readonly Candidate[] {
  const ids = idsIn(context);
  const begun = ids.filter((id) => context.current.startsWith(`${id}.`));
  const servers = ids.filter((id) => !begun.includes(id)).map((id) => withoutDescription(`${id}.`));
  const known = begun.length === 0 ? undefined : context.names.knownServers();
  const tools = begun.flatMap((id) => (known?.get(id)?.tools ?? []).map((tool) => toolCandidate(id, tool)));
  return [...servers, ...tools];
}

function toolCandidate(id: string, { name, keys }: KnownTool): Candidate {
  return { word: `${id}.${name}`, description: keys.map((key) => key.name).join(', ') };
}

function toolArguments(context: ValueContext): readonly Candidate[] {
  const [called = '', ...given] = context.positionals;
  const keys = findTool(called, context)?.keys ?? [];
  const [, current] = /^([^=]+?):?=/.exec(context.current) ?? [];
  const begun = keys.find(({ name }) => name === current);
  if (begun !== undefined) return fixedValues(begun.type).map((value) => withoutDescription(`${begun.name}=${value}`));
  const isFree = (name: string) => !given.some((word) => word.startsWith(`${name}=`) || word.startsWith(`${name}:=`));
  return keys.filter(({ name }) => isFree(name)).map(({ name, type }) => ({ word: `${name}=`, description: type }));
}

/** The longest matching id wins, as in a call. */
function findTool(called: string, context: ValueContext): KnownTool | undefined {
  const ids = idsIn(context).filter((id) => called.startsWith(`${id}.`));
  const [id] = ids.toSorted((one, other) => other.length - one.length);
  if (id === undefined) return undefined;
  const tools = context.names.knownServers().get(id)?.tools ?? [];
  return tools.find(({ name }) => name === called.slice(id.length + 1));
}

const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** Returns the fixed values of a type that does not name JSON types. */
function fixedValues(type: string): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  const parts = type.split('|');
  return parts.some((part) => part === '' || JSON_TYPES.includes(part)) ? [] : parts;
}
