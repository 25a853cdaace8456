export interface CodexVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** As Codex writes it, with what stands behind the numbers: `0.150.0-alpha.3`. */
  readonly text: string;
}

/**
 * Reads what `codex --version` prints (`codex-cli 0.166.0`) and the user agent that the app-server gives itself
 * (`name/0.166.0 (Debian 12; x86_64) …`, where the name is the client's own). Undefined when neither is there.
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

/** Whether it is 0.`minor` or newer; a prerelease counts as what it leads to. */
export function isAtLeast(version: CodexVersion, minor: number): boolean {
  // Built from its sources Codex calls itself 0.0.0, and is newer than any that was released.
  const isUnreleased = version.major === 0 && version.minor === 0 && version.patch === 0;
  return isUnreleased || version.major > 0 || version.minor >= minor;
}
