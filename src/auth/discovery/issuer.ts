/**
 * Compares issuers character by character (RFC 8414 §3.3), with one exception: real providers write the same issuer
 * with and without a slash after the host. An empty path and `/` are therefore equal.
 */
export function isSameIssuer(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && withoutRootSlash(one) === withoutRootSlash(other);
}

function withoutRootSlash(issuer: string): string {
  return /^[a-z]+:\/\/[^/?#]+\/$/.test(issuer) ? issuer.slice(0, -1) : issuer;
}
