import { cleanName, hash8 } from '../../base/text/names.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';

export interface PublicName {
  readonly name: string;
  /** Why it is not simply the server's id and the tool's own name. */
  readonly reason?: string;
}

interface QualifyOptions {
  readonly serverId: string;
  readonly rawNames: readonly string[];
  readonly maxLength?: number;
}

/**
 * What the tools (or prompts) of one server are called towards clients, by their raw names: `server__tool`. A function of
 * the server's id and of its own names alone, in any order: no other server and no timing can change it.
 *
 * The first `__` always ends the id. What cannot have its plain name carries a hash of the id and the raw name. No plain
 * name ends like a hashed one, so that nobody takes another's name by calling a tool after it.
 */
export function qualifyNames({ serverId, rawNames, maxLength = MAX_LENGTH }: QualifyOptions): Map<string, PublicName> {
  const names = new Map<string, PublicName>();
  const hashed: Hashed[] = [];
  const idFault = whyNoPrefix(serverId);
  const plain = new Map<string, Plain[]>();
  for (const raw of new Set(rawNames)) {
    const tool = cleanName(raw);
    const name = `${serverId}__${tool}`;
    const reason = idFault ?? whyNotPlain(tool, name.length - maxLength);
    if (reason !== undefined) hashed.push({ raw, reason });
    else addTo(plain, fold(tool), { raw, name });
  }
  for (const sameName of plain.values()) {
    const reason = sameName.length > 1 ? `${formatNames(sameName)} would have the same name` : undefined;
    for (const { raw, name } of sameName) {
      if (reason !== undefined) hashed.push({ raw, reason });
      else
        names.set(
          raw,
          name === `${serverId}__${raw}` ? { name } : { name, reason: 'its own name has other characters' },
        );
    }
  }
  addHashed(names, hashed, createHashedName(serverId, maxLength));
  return names;
}

const MAX_LENGTH = 64;
/** Of all profiles: whoever asks does not know under which of them a name was given. */
const LENGTHS = [...new Set([MAX_LENGTH, ...Object.values(PROFILES).map(({ maxNameLength }) => maxNameLength)])];

/** Whether this could be the public name of something of this server, which has not said yet what it has. */
export function mayBeNameOf(serverId: string, name: string): boolean {
  if (name.startsWith(`${serverId}__`)) return true;
  return LENGTHS.some((length) => name.startsWith(`${shortIdOf(serverId, hashedRoom(length))}__`));
}

interface Plain {
  readonly raw: string;
  readonly name: string;
}

interface Hashed {
  readonly raw: string;
  readonly reason: string;
}

function whyNoPrefix(serverId: string): string | undefined {
  if (cleanName(serverId) !== serverId) return 'the id of the server has other characters';
  if (serverId.includes('__')) return 'the id of the server contains __';
  return serverId.endsWith('_') ? 'the id of the server ends in _' : undefined;
}

function whyNotPlain(tool: string, excess: number): string | undefined {
  if (excess > 0) return `it would be ${excess} characters too long`;
  return LOOKS_HASHED.test(fold(tool)) ? 'it ends like a name with a hash' : undefined;
}

const LOOKS_HASHED = /._[0-9a-f]{8}$/;

/** What Codex and others make one. */
function fold(name: string): string {
  return name.replaceAll('-', '_').toLowerCase();
}

function addTo(groups: Map<string, Plain[]>, key: string, entry: Plain): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [entry]);
  else group.push(entry);
}

function formatNames(sameName: readonly Plain[]): string {
  const names = sameName.slice(0, MAX_LISTED).map(({ raw }) => oneLine(raw, MAX_SHOWN_LENGTH));
  const more = sameName.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ');
}

const MAX_LISTED = 3;
const MAX_SHOWN_LENGTH = 40;

/** Two hashes of eight digits can be the same: then the later name in the order of characters is hashed again. */
function addHashed(
  names: Map<string, PublicName>,
  hashed: Hashed[],
  toName: (raw: string, salt: string) => string,
): void {
  const taken = new Set<string>();
  hashed.sort((a, b) => (a.raw < b.raw ? -1 : 1));
  for (const { raw, reason } of hashed) {
    let name = toName(raw, '');
    for (let again = 1; taken.has(fold(name)); again++) name = toName(raw, `\0${again}`);
    taken.add(fold(name));
    names.set(raw, { name, reason });
  }
}

/** `<short id>__<short tool>_<hash>`. The id comes out the same for every tool of the server. */
function createHashedName(serverId: string, maxLength: number): (raw: string, salt: string) => string {
  const available = hashedRoom(maxLength);
  const shortId = shortIdOf(serverId, available);
  return (raw, salt) => {
    const tool = cleanName(raw).slice(0, available - shortId.length);
    return `${shortId}__${tool}_${hash8(serverId, `${raw}${salt}`)}`;
  };
}

/** What is left for id and tool in a name that carries a hash. */
function hashedRoom(maxLength: number): number {
  return maxLength - '__'.length - '_'.length - HASH_LENGTH;
}

function shortIdOf(serverId: string, available: number): string {
  const cut = cleanName(serverId)
    .replace(/__+/g, '_')
    .slice(0, Math.floor((available * 2) / 3));
  return cut.replace(/_+$/, '') || 'server';
}

const HASH_LENGTH = 8;
