/** Protocol revisions that begin with `initialize`, newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** The revision without `initialize`: every request carries its own envelope. */
export const MODERN_VERSION = '2026-07-28';

/** The client's own version where we know it, else our newest: the client then decides whether to stay. */
export function negotiateVersion(requested: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === requested) ?? LEGACY_VERSIONS[0];
}
