import { codex } from './codex.ts';
import { isCodex, isCodexAtLeast } from './codex-client.ts';
import { codexLegacy } from './codex-legacy.ts';
import { none } from './none.ts';
import type { Profile, ProfileName } from './profile.ts';

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  none,
  codex,
  'codex-legacy': codexLegacy,
};

/**
 * Chooses the profile for the `clientInfo` of an `initialize` request, which may hold anything. A Codex that does not
 * report its version counts as old.
 */
export function chooseProfile(clientInfo: unknown): ProfileName {
  if (!isCodex(clientInfo)) return 'none';
  return isCodexAtLeast(clientInfo, LAST_LEGACY_MINOR + 1) ? 'codex' : 'codex-legacy';
}

/** The last Codex that is known to turn `anyOf` and `$ref` into text is 0.92. */
const LAST_LEGACY_MINOR = 92;
