/** Hex digits of sha256 over all parts, one after the other. */
export function sha256(...parts: readonly (string | Buffer)[]): string {
  const whole = crypto().createHash('sha256');
  for (const part of parts) whole.update(part);
  return whole.digest('hex');
}

/** Eight hex digits that tell accidents, not attackers: cheaper than to load cryptography. FNV-1a. */
export function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  // By index: an iterator costs ten times as much while nothing is compiled yet.
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** So many random bytes, as hex digits. */
export function randomHex(bytes: number): string {
  return crypto().randomBytes(bytes).toString('hex');
}

/** Not imported: an import reads every part of the module, and a start would pay milliseconds for what it rarely uses. */
function crypto() {
  return process.getBuiltinModule('node:crypto');
}
