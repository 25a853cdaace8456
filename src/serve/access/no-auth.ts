import type { Access, Principal } from '../fronts/http/principal.ts';

/** Everybody who can connect, with `--auth none`. */
export const LOCAL_PRINCIPAL: Principal = {
  tokenId: 'none',
  name: 'anybody',
  role: 'use',
  view: undefined,
  mayNameFolders: false,
};

/** Returns whether this is the principal of all clients of a server without tokens. */
export function isAnybody({ tokenId }: Principal): boolean {
  return tokenId === LOCAL_PRINCIPAL.tokenId;
}

/** Access without tokens, for a server that only this machine can reach. */
export const accessForAnybody: Access = { authenticate: () => LOCAL_PRINCIPAL, onRevoked: () => () => undefined };
