/** Returns the token of an `Authorization` header; undefined for any other scheme. Called for every request. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > MAX_LENGTH) return undefined;
  // Nearly every client writes the scheme like this. RFC 9110 permits any case, and more than one space.
  if (authorization.startsWith('Bearer ') && authorization[7] !== ' ') return authorization.slice(7);
  return /^bearer +(\S+)$/i.exec(authorization)?.[1];
}

/** Longer than any token of ours. */
const MAX_LENGTH = 512;
