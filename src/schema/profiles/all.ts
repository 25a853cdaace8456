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
  if (!isCodex(clientInfo)) return 'none';
  return isCodexAtLeast(clientInfo, LAST_LEGACY_MINOR + 1) ? 'codex' : 'codex-legacy';
}

/** Whatever calls itself so. */
export function isCodex(clientInfo: unknown): boolean {
  const name = memberOf(clientInfo, 'name');
  return typeof name === 'string' && name.toLowerCase().startsWith('codex');
}

/** Whether it says that it is 0.`minor` or newer. */
export function isCodexAtLeast(clientInfo: unknown, minor: number): boolean {
  const version = memberOf(clientInfo, 'version');
  const [, major, itsMinor] = (typeof version === 'string' && VERSION.exec(version)) || [];
  return Number(major) > 0 || Number(itsMinor) >= minor;
}

function memberOf(clientInfo: unknown, name: string): unknown {
  return typeof clientInfo === 'object' && clientInfo !== null ? Reflect.get(clientInfo, name) : undefined;
}

const VERSION = /^v?(\d{1,9})\.(\d{1,9})(?![\d])/;

/** The last Codex that is known to turn `anyOf` and `$ref` into text is 0.92. */
const LAST_LEGACY_MINOR = 92;
