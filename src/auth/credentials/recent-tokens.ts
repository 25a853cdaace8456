import type { AuthRecord } from '../store/auth-record.ts';

/** The tokens that were sent lately and must be shown to nobody: whoever answers may repeat what it was sent. */
export interface RecentTokens {
  add(record: AuthRecord | undefined): void;
  all(): readonly string[];
}

/** A token that was replaced long ago opens nothing. */
const MAX_TOKENS = 12;

export function createRecentTokens(): RecentTokens {
  let known: readonly string[] = [];
  return {
    add(record) {
      const { accessToken, refreshToken, clientSecret } = record ?? {};
      for (const token of [accessToken, refreshToken, clientSecret]) {
        if (token !== undefined && !known.includes(token)) known = [...known, token].slice(-MAX_TOKENS);
      }
    },
    all: () => known,
  };
}
