import { createHash, timingSafeEqual } from 'node:crypto';
import type { Access, Principal } from '../fronts/http/principal.ts';

/** Creates access for everybody who has this one token. */
export function createFixedAccess(token: string): Access {
  const expected = digest(token);
  const principal: Principal = {
    tokenId: 'fixed',
    name: 'client',
    role: 'use',
    view: undefined,
    mayNameFolders: false,
  };
  return {
    authenticate(authorization) {
      const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
      return given !== undefined && timingSafeEqual(digest(given), expected) ? principal : undefined;
    },
    onRevoked: () => () => undefined,
  };
}

/** Values of equal length, so that the comparison does not reveal the length of the token. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
