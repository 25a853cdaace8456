import { AppError, isAppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { addOption, serverCommand } from '../../config/next-command.ts';
import { isInsecureHttp } from '../../net/url-policy.ts';

/** The server that a message is about. Only the host of its URL is shown, because the rest may contain a key. */
export interface ServerReference {
  readonly serverId: string;
  readonly url: string;
  /** Command to sign in, if it is not the default one. */
  readonly loginCommand?: string | undefined;
}

interface SignInReason {
  readonly reason?: string | undefined;
  /** Scope that the sign-in must request; undefined: the sign-in chooses. */
  readonly scope?: string | undefined;
}

/** Builds the error. `reason` starts in lower case and says why the stored sign-in, if any, is not sufficient. */
export function signInNeeded(server: ServerReference, { reason, scope }: SignInReason = {}): AppError {
  const usual = server.loginCommand ?? serverCommand('mcp login', server.serverId);
  const command = addOption(usual, scopesOption(scope));
  const why = reason === undefined ? '' : `: ${reason}`;
  return new AppError('SIGN_IN_NEEDED', `${serverLabel(server)} needs you to sign in${why}. Run: ${command}`, {
    data: { server: server.serverId, command },
  });
}

export function isSignInNeeded(error: unknown): boolean {
  return isAppError(error) && error.code === 'SIGN_IN_NEEDED';
}

/**
 * Builds the `--scopes` option. The server chooses the scope names, and programs run this command, so words that are
 * not plain names are left out.
 */
function scopesOption(scope = ''): string {
  const names = scope.split(' ').filter((word) => /^[\w:./@+~*-]+$/.test(word));
  return names.length === 0 ? '' : ` --scopes ${quoteForShell(names.join(','))}`;
}

/** Builds the error for a server that offers no usable sign-in and needs a key or token instead. */
export function noSignInOffered(server: ServerReference): AppError {
  const why = isInsecureHttp(new URL(server.url))
    ? '. Signing in over http is not possible, because others can read it: use an https URL, or a key or token'
    : ' and offers no sign-in: it requires a key or token';
  return new AppError(
    'HTTP_FAILED',
    `${serverLabel(server)} answered 401${why}. Set the key or token as headers.Authorization in its entry: ${programName()} mcp add ${quoteForShell(server.serverId)} <url> --replace --header Authorization`,
    { data: { server: server.serverId, status: 401, isSignInOffered: false } },
  );
}

export function ownHeaderRejected(server: ServerReference, status: number): AppError {
  return new AppError(
    'HTTP_FAILED',
    `${serverLabel(server)} answered ${status} to the Authorization header from its entry: correct headers.Authorization, or the variable that sets it, in the config.`,
    { data: { server: server.serverId, status } },
  );
}

export function accessDenied(server: ServerReference, status: number): AppError {
  return new AppError(
    'DENIED',
    `${serverLabel(server)} answered ${status}: this account does not have permission for this request.`,
    {
      data: { server: server.serverId, status },
    },
  );
}

function serverLabel({ serverId, url }: ServerReference): string {
  return `${quoteIfNeeded(serverId)} (${escapeInvisible(new URL(url).host)})`;
}

/** Creates the error for a server that rejects tokens that were just issued. */
export function tokensRejected(
  server: ServerReference,
  issuer: string | undefined,
  scope: string | undefined,
): AppError {
  const whose = issuer !== undefined && URL.canParse(issuer) ? ` ${new URL(issuer).host}` : '';
  const advice = 'if signing in again does not help, contact its operator';
  const reason = `it rejects the tokens that its authorization server${whose} just issued (${advice})`;
  return signInNeeded(server, { reason, scope });
}
