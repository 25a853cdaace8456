/** Returns the offset at or before this one where a character begins, so that a cut never splits a character. */
export function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start < bytes.length && isContinuationByte(bytes[start])) start--;
  return start;
}

/** Returns the offset at or after this one where a character begins. */
export function nextCharacter(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length && isContinuationByte(bytes[next])) next++;
  return next;
}

/** In UTF-8, every byte of a character except the first begins with the bits 10. */
function isContinuationByte(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}
