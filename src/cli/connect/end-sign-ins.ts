import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { CommandContext } from '../command-context.ts';

interface EndedSignIns {
  /** What happened to each sign-in. */
  readonly texts: readonly string[];
  /** Whether a request is still pending, which would keep the process alive. */
  readonly hasPending: boolean;
}

/** Signs out of all these servers at once, and revokes their tokens where that is possible in time. Never throws. */
export async function endSignIns(
  ids: readonly string[],
  context: Pick<CommandContext, 'cwd' | 'home' | 'env'>,
): Promise<EndedSignIns> {
  if (ids.length === 0) return { texts: [], hasPending: false };
  const { logOut, signedOutText } = await import('../mcp/login/sign-ins.ts');
  const end = async (id: string): Promise<string> => {
    try {
      return signedOutText(id, await logOut(id, { mustRevoke: true, context }), true);
    } catch {
      // The file with the sign-in is removed in any case.
      return notRevokedText(id);
    }
  };
  const tooLate = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), REVOKE_WITHIN_MS).unref());
  const texts = await Promise.all(ids.map((id) => Promise.race([end(id), tooLate])));
  return {
    texts: ids.map((id, index) => texts[index] ?? notRevokedText(id)),
    hasPending: texts.includes(undefined),
  };
}

/** An authorization server that does not respond must not delay the uninstall. */
const REVOKE_WITHIN_MS = 5_000;

function notRevokedText(id: string): string {
  return `Warning: the sign-in of ${quoteIfNeeded(id)} was removed, but could not be revoked at its server. It stays valid until it expires.`;
}
