/** Protocol revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The revision without `initialize`: every request carries its own envelope. */
export const MODERN_VERSION = '2026-07-28';

/** Returns the client's version if we support it, otherwise our newest. The client then decides whether to continue. */
export function negotiateVersion(requested: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === requested) ?? LEGACY_VERSIONS[0];
}
