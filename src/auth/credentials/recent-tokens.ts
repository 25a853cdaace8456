import type { AuthRecord } from '../store/auth-record.ts';

/** Recently sent tokens, to be masked in output: a server may repeat the token that it was sent. */
export interface RecentTokens {
  add(record: AuthRecord | undefined): void;
  all(): readonly string[];
}

/** Older tokens have been replaced long ago and are no longer valid. */
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
