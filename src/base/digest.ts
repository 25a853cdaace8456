/** Hex digits of sha256 over all parts, one after the other. */
export function sha256(...parts: readonly (string | Buffer)[]): string {
  const whole = crypto().createHash('sha256');
  for (const part of parts) whole.update(part);
  return whole.digest('hex');
}

/** So many random bytes, as hex digits. */
export function randomHex(bytes: number): string {
  return crypto().randomBytes(bytes).toString('hex');
}

/** Not imported: an import reads every part of the module, and a start would pay milliseconds for what it rarely uses. */
function crypto() {
  return process.getBuiltinModule('node:crypto');
}
