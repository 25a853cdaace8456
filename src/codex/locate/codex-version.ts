export interface CodexVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** The version as Codex writes it, including the suffix: `0.150.0-alpha.3`. */
  readonly text: string;
}

/**
 * Parses the output of `codex --version` (`codex-cli 0.166.0`), or the user agent of the app-server (`name/0.166.0
 * (Debian 12; x86_64) …`, where the name is the client's). Returns undefined if the text is neither.
 */
export function parseCodexVersion(text: string): CodexVersion | undefined {
  const found = /^(?:codex-cli[ \t]+|[^/\r\n]+\/)(\d{1,9})\.(\d{1,9})\.(\d{1,9})((?:[-+][\w.+-]+)?)(?=\s|$)/m.exec(
    text,
  );
  if (found === null) return undefined;
  const [, major = '', minor = '', patch = '', suffix = ''] = found;
  return {
    major: Number(major),
    minor: Number(minor),
    patch: Number(patch),
    text: `${major}.${minor}.${patch}${suffix}`,
  };
}

/** Returns whether the version is 0.`minor` or newer. A prerelease counts as its release. */
export function isAtLeast(version: CodexVersion, minor: number): boolean {
  // A Codex built from source reports 0.0.0, and is newer than any release.
  const isUnreleased = version.major === 0 && version.minor === 0 && version.patch === 0;
  return isUnreleased || version.major > 0 || version.minor >= minor;
}
