/** Limits how often a user is asked to sign in to one server, over all its connections. */
export interface SignInLimit {
  isReached(): boolean;
  add(): void;
}

const MAX_SIGN_INS = 3;
/** An application may run for weeks, and sign-ins expire. */
const WITHIN_MS = 60 * 60_000;

export function createSignInLimit(now: () => number): SignInLimit {
  let signIns: readonly number[] = [];
  return {
    isReached: () => signIns.filter((at) => at > now() - WITHIN_MS).length >= MAX_SIGN_INS,
    add() {
      signIns = [...signIns, now()].slice(-MAX_SIGN_INS);
    },
  };
}
