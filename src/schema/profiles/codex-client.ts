/** Reads the `clientInfo` of an `initialize` request of Codex, which may hold anything. */

/** Returns whether the client calls itself Codex. */
export function isCodex(clientInfo: unknown): boolean {
  const name = memberOf(clientInfo, 'name');
  return typeof name === 'string' && name.toLowerCase().startsWith('codex');
}

/** Returns whether the client reports version 0.`minor` or newer. */
export function isCodexAtLeast(clientInfo: unknown, minor: number): boolean {
  const version = memberOf(clientInfo, 'version');
  const [, major, itsMinor] = (typeof version === 'string' && VERSION.exec(version)) || [];
  return Number(major) > 0 || Number(itsMinor) >= minor;
}

function memberOf(clientInfo: unknown, name: string): unknown {
  return typeof clientInfo === 'object' && clientInfo !== null ? Reflect.get(clientInfo, name) : undefined;
}

const VERSION = /^v?(\d{1,9})\.(\d{1,9})(?![\d])/;
