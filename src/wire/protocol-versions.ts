/** The newest protocol revision that begins with `initialize`. */
export const NEWEST_LEGACY_VERSION = '2025-11-25';

/** Protocol revisions that begin with `initialize`, newest first. */
const LEGACY_VERSIONS = [NEWEST_LEGACY_VERSION, '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The revision without `initialize`: every request carries its own envelope. */
export const MODERN_VERSION = '2026-07-28';

export function isLegacyVersion(version: unknown): boolean {
  return LEGACY_VERSIONS.some((known) => known === version);
}

/**
 * Revisions that a server may choose, newest first. Any other one could change the meaning of messages. 2024-10-07 was
 * a draft of 2024-11-05, which early servers still choose.
 */
export const ACCEPTED_SERVER_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS, '2024-10-07'];

/** Returns the client's version if we support it, otherwise our newest. The client then decides whether to continue. */
export function negotiateVersion(requested: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === requested) ?? NEWEST_LEGACY_VERSION;
}
