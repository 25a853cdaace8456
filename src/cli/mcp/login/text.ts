import type { AuthRecord } from '../../../auth/store/auth-record.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';

/** Messages and answers of a sign-in. None contains a token, a code or a secret. */

export interface SignInPrompt {
  readonly id: string;
  readonly url: string;
  readonly authUrl: string;
  readonly hasBrowser: boolean;
  readonly canPaste: boolean;
}

export function signInPrompt({ id, url, authUrl, hasBrowser, canPaste }: SignInPrompt): string {
  const scope = new URL(authUrl).searchParams.get('scope');
  const scopes = scope === null ? '' : `, scopes: ${escapeInvisible(scope)}`;
  const whom = `${quoteIfNeeded(id)} (${escapeInvisible(new URL(url).host)}${scopes})`;
  const address = escapeInvisible(authUrl);
  const lines = hasBrowser
    ? [`Opening your browser to sign in to ${whom}…`, `If nothing opens, visit:  ${address}`]
    : [`To sign in to ${whom}, visit:  ${address}`];
  const paste = "On another machine? Paste the browser's final URL here (input is hidden), then press Enter.";
  return [...lines, ...(canPaste ? [paste] : [])].join('\n');
}

/** Two projects may use one id for different servers. */
export function replacedWarning(id: string): string {
  const name = quoteIfNeeded(id);
  return `Warning: the stored sign-in of ${name} is for another URL, and this one replaces it. To keep both, give one of the servers another id.`;
}

export interface DevicePrompt {
  readonly id: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly verificationUriComplete: string | undefined;
}

export function devicePrompt({ id, userCode, verificationUri, verificationUriComplete }: DevicePrompt): string {
  const typed = `To sign in to ${quoteIfNeeded(id)}, open ${escapeInvisible(verificationUri)} on any device and enter the code ${escapeInvisible(userCode)}`;
  const direct =
    verificationUriComplete === undefined ? [] : [`Or open directly:  ${escapeInvisible(verificationUriComplete)}`];
  return [typed, ...direct].join('\n');
}

export function signedInText(id: string, { refreshToken, expiresAt, scope }: AuthRecord): string {
  const scopes = scope === undefined ? '' : ` Scopes: ${escapeInvisible(scope)}.`;
  return `Signed in to ${quoteIfNeeded(id)}. ${expiryText(refreshToken !== undefined, expiresAt)}${scopes}`;
}

export function signedInDocument(id: string, record: AuthRecord): string {
  const { expiresAt = null, scope = null, issuer = null, refreshToken } = record;
  const renews = refreshToken !== undefined;
  return escapeInvisible(JSON.stringify({ v: 1, server: id, signedIn: true, issuer, scope, expiresAt, renews }));
}

function expiryText(renews: boolean, expiresAt: number | undefined): string {
  const end =
    expiresAt === undefined
      ? undefined
      : new Date(expiresAt).toLocaleString('sv-SE').slice(0, 'yyyy-mm-dd hh:mm'.length);
  if (renews) return `The token is refreshed automatically${end === undefined ? '' : ` (expires ${end})`}.`;
  return end === undefined
    ? 'The token has no known expiry.'
    : `The token expires ${end} and cannot be refreshed. Sign in again after that.`;
}
