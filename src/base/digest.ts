/** Returns the sha256 of the concatenated parts, as hex digits. */
export function sha256(...parts: readonly (string | Buffer)[]): string {
  const whole = crypto().createHash('sha256');
  for (const part of parts) whole.update(part);
  return whole.digest('hex');
}

/** Returns the FNV-1a hash as eight hex digits. Detects accidents, not attacks; cheaper than loading `node:crypto`. */
export function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  // By index: an iterator costs ten times as much before the JIT compiles the loop.
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** Returns this many random bytes, as hex digits. */
export function randomHex(bytes: number): string {
  return crypto().randomBytes(bytes).toString('hex');
}

/** Loads `node:crypto` on first use: an import would cost milliseconds at every start, and few starts need it. */
function crypto() {
  return process.getBuiltinModule('node:crypto');
}
