import { codex } from './codex.ts';
import { codexLegacy } from './codex-legacy.ts';
import { none } from './none.ts';
import type { Profile, ProfileName } from './profile.ts';

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  none,
  codex,
  'codex-legacy': codexLegacy,
};

/** For the `clientInfo` of an `initialize`, whatever it holds. A Codex that does not say how old it is counts as old. */
export function chooseProfile(clientInfo: unknown): ProfileName {
  if (typeof clientInfo !== 'object' || clientInfo === null) return 'none';
  const name: unknown = Reflect.get(clientInfo, 'name');
  if (typeof name !== 'string' || !name.toLowerCase().startsWith('codex')) return 'none';
  const version: unknown = Reflect.get(clientInfo, 'version');
  const [, major, minor] = (typeof version === 'string' && VERSION.exec(version)) || [];
  if (major === undefined || minor === undefined) return 'codex-legacy';
  return Number(major) > 0 || Number(minor) > LAST_LEGACY_MINOR ? 'codex' : 'codex-legacy';
}

const VERSION = /^v?(\d{1,9})\.(\d{1,9})(?![\d])/;

/** The last Codex that is known to turn `anyOf` and `$ref` into text is 0.92. */
const LAST_LEGACY_MINOR = 92;
