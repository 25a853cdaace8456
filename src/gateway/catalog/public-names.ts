import { cleanName, hash8 } from '../../base/text/names.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';

export interface PublicName {
  readonly name: string;
  /** Why the name is not just `server__tool` with the tool's own name. */
  readonly reason?: string;
}

interface QualifyOptions {
  readonly serverId: string;
  readonly rawNames: readonly string[];
  readonly maxLength?: number;
}

/**
 * Maps the raw names of one server's tools or prompts to public names: `server__tool`. The result depends only on the
 * server's id and its own names, in any order: no other server and no timing can change it.
 *
 * The first `__` always ends the id. A name that cannot stay plain carries a hash of the id and the raw name. No plain
 * name ends like a hashed one, so a server cannot take another tool's name by choosing its own tool names.
 */
export function qualifyNames({ serverId, rawNames, maxLength = MAX_LENGTH }: QualifyOptions): Map<string, PublicName> {
  const names = new Map<string, PublicName>();
  const hashed: Hashed[] = [];
  const idFault = noPrefixReason(serverId);
  const plain = new Map<string, Plain[]>();
  for (const raw of new Set(rawNames)) {
    const tool = cleanName(raw);
    const name = `${serverId}__${tool}`;
    const reason = idFault ?? renameReason(tool, name.length - maxLength);
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
          name === `${serverId}__${raw}`
            ? { name }
            : { name, reason: 'its own name has characters that are not allowed' },
        );
    }
  }
  addHashed(names, hashed, createHashedName(serverId, maxLength));
  return names;
}

const MAX_LENGTH = 64;
/** The limits of all profiles, because `mayBeNameOf` does not know which profile produced a name. */
const LENGTHS = [...new Set([MAX_LENGTH, ...Object.values(PROFILES).map(({ maxNameLength }) => maxNameLength)])];

/** Returns whether `name` could be a public name of this server, which has not listed its tools yet. */
export function mayBeNameOf(serverId: string, name: string): boolean {
  if (name.startsWith(`${serverId}__`)) return true;
  return LENGTHS.some((length) => name.startsWith(`${shortIdOf(serverId, maxHashedPrefixLength(length))}__`));
}

interface Plain {
  readonly raw: string;
  readonly name: string;
}

interface Hashed {
  readonly raw: string;
  readonly reason: string;
}

function noPrefixReason(serverId: string): string | undefined {
  if (cleanName(serverId) !== serverId) return 'the id of the server has characters that are not allowed';
  if (serverId.includes('__')) return 'the id of the server contains __';
  return serverId.endsWith('_') ? 'the id of the server ends in _' : undefined;
}

function renameReason(tool: string, excess: number): string | undefined {
  if (excess > 0) return `it would be ${excess} characters too long`;
  return LOOKS_HASHED.test(fold(tool)) ? 'it ends like a name with a hash' : undefined;
}

const LOOKS_HASHED = /._[0-9a-f]{8}$/;

/** Folds names that Codex and other clients treat as equal. */
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

/** Adds the hashed names. If two hashes of eight digits collide, the name that sorts later is hashed again. */
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

/** Names tools `<short id>__<short tool>_<hash>`. The short id is the same for every tool of the server. */
function createHashedName(serverId: string, maxLength: number): (raw: string, salt: string) => string {
  const available = maxHashedPrefixLength(maxLength);
  const shortId = shortIdOf(serverId, available);
  return (raw, salt) => {
    const tool = cleanName(raw).slice(0, available - shortId.length);
    return `${shortId}__${tool}_${hash8(serverId, `${raw}${salt}`)}`;
  };
}

/** Returns the length available for the id and tool in a hashed name. */
function maxHashedPrefixLength(maxLength: number): number {
  return maxLength - '__'.length - '_'.length - HASH_LENGTH;
}

function shortIdOf(serverId: string, available: number): string {
  const cut = cleanName(serverId)
    .replace(/__+/g, '_')
    .slice(0, Math.floor((available * 2) / 3));
  return cut.replace(/_+$/, '') || 'server';
}

const HASH_LENGTH = 8;
