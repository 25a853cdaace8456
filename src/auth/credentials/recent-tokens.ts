import type { AuthRecord } from '../store/auth-record.ts';

/**
 * Recent tokens of one server, over all its connections. They are masked in output, because a server may repeat a token
 * that it was sent.
 */
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
