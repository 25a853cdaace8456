import type { KnownServer, KnownTool } from './known-names.ts';

/** One word that may stand at the cursor, whole. */
export interface Candidate {
  readonly word: string;
  /** In a few words what it is; may be empty. */
  readonly description: string;
}

/** Where names come from: each is asked only where a name can stand. */
export interface NameSource {
  /** Of the servers in the config, or in this one file. */
  serverIds(config: string | undefined): readonly string[];
  /** What is known of the servers' tools. */
  knownServers(): ReadonlyMap<string, KnownServer>;
}

interface ValueContext {
  readonly current: string;
  /** Those before it that belong to the same command. */
  readonly positionals: readonly string[];
  readonly names: NameSource;
  /** The file that the line names. */
  readonly config: string | undefined;
}

/** All values of one kind, as `command-tree.ts` writes it. Files and folders are left to the shell, texts to the person. */
export function valuesOf(kind: string, context: ValueContext): readonly Candidate[] {
  switch (kind) {
    case '<server>':
      return idsIn(context).map(withoutDescription);
    case '<servers>':
      return serverList(context);
    case '<server.>':
      return idsIn(context).map((id) => withoutDescription(`${id}.`));
    case '<server.tool>':
      return qualifiedTools(context);
    case '<key=value>':
      return toolArguments(context);
    default:
      return kind === '' || kind.startsWith('<') ? [] : kind.split('|').map(withoutDescription);
  }
}

function withoutDescription(word: string): Candidate {
  return { word, description: '' };
}

function idsIn({ names, config }: ValueContext): readonly string[] {
  return names.serverIds(config);
}

/** `a,b,…`: what stands before the last comma stays. */
function serverList(context: ValueContext): readonly Candidate[] {
  const head = context.current.slice(0, context.current.lastIndexOf(',') + 1);
  const taken = head.split(',');
  const free = idsIn(context).filter((id) => !taken.includes(id) && !id.includes(','));
  return free.map((id) => withoutDescription(head + id));
}

/** Like a path: first the server, then its tools. */
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

/** The longest id counts, as in a call. */
function findTool(called: string, context: ValueContext): KnownTool | undefined {
  const ids = idsIn(context).filter((id) => called.startsWith(`${id}.`));
  const [id] = ids.toSorted((one, other) => other.length - one.length);
  if (id === undefined) return undefined;
  const tools = context.names.knownServers().get(id)?.tools ?? [];
  return tools.find(({ name }) => name === called.slice(id.length + 1));
}

const JSON_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** A type that is no list of types is a list of values. */
function fixedValues(type: string): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  const parts = type.split('|');
  return parts.some((part) => part === '' || JSON_TYPES.includes(part)) ? [] : parts;
}
