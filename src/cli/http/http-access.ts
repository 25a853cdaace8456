import type { HttpPlan } from '../../serve/access/address/plan-http.ts';
import { accessForAnybody } from '../../serve/access/no-auth.ts';
import type { AccessOptions, TokenAccess } from '../../serve/access/open-access.ts';

/** Opens the access that the options ask for. The first server with tokens creates the token of this user. */
export async function openHttpAccess({ auth }: Pick<HttpPlan, 'auth'>, options: AccessOptions): Promise<TokenAccess> {
  if (auth === 'none') return { ...accessForAnybody, close() {} };
  const { ensureLocalToken } = await import('../../serve/access/local-token.ts');
  const { openAccess } = await import('../../serve/access/open-access.ts');
  await ensureLocalToken(options.environment);
  return openAccess(options);
}
