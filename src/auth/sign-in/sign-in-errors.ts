import { AppError } from '../../base/errors.ts';
import { quoteForShell } from '../../base/text/shell-quote.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { addOption, serverCommand } from '../../config/next-command.ts';
import { isInsecureHttp } from '../../net/url-policy.ts';

/** Which server a message is about. Its URL is shown by its host only: the rest may hold a key. */
export interface ServerReference {
  readonly serverId: string;
  readonly url: string;
  /** What a person types to sign in, when it is not the usual. */
  readonly loginCommand?: string | undefined;
}

interface SignInReason {
  readonly reason?: string | undefined;
  /** What the sign-in has to ask for; undefined: it chooses. */
  readonly scope?: string | undefined;
}

/** `reason` begins in small letters and says why the stored sign-in, if there is one, does not do. */
export function signInNeeded(server: ServerReference, { reason, scope }: SignInReason = {}): AppError {
  const usual = server.loginCommand ?? serverCommand('mcp login', server.serverId);
  const command = addOption(usual, scopesOption(scope));
  const why = reason === undefined ? '' : `: ${reason}`;
  return new AppError('SIGN_IN_NEEDED', `${serverLabel(server)} needs you to sign in${why}. Run: ${command}`, {
    data: { server: server.serverId, command },
  });
}

/** The server names them, and programs run what they are told here: a word that is more than a name is left out. */
function scopesOption(scope = ''): string {
  const names = scope.split(' ').filter((word) => /^[\w:./@+~*-]+$/.test(word));
  return names.length === 0 ? '' : ` --scopes ${quoteForShell(names.join(','))}`;
}

/** No sign-in is offered anywhere, or none that could be used: a key of its own is what it wants. */
export function noSignInOffered(server: ServerReference): AppError {
  const why = isInsecureHttp(new URL(server.url))
    ? '. Nobody can sign in over http, which others can read: give it an https address, or a key or token of its own'
    : ' and offers no sign-in: it wants a key or token of its own';
  return new AppError(
    'HTTP_FAILED',
    `${serverLabel(server)} answered 401${why}. Put it into headers.Authorization of its entry: switchboard mcp add ${quoteForShell(server.serverId)} <url> --replace --header Authorization`,
    { data: { server: server.serverId, status: 401, isSignInOffered: false } },
  );
}

export function ownHeaderRefused(server: ServerReference, status: number): AppError {
  return new AppError(
    'HTTP_FAILED',
    `${serverLabel(server)} answered ${status} to the Authorization header of its entry: correct headers.Authorization, or the variable that it comes from, in the config.`,
    { data: { server: server.serverId, status } },
  );
}

export function accessDenied(server: ServerReference, status: number): AppError {
  return new AppError('DENIED', `${serverLabel(server)} answered ${status}: this account may not do that there.`, {
    data: { server: server.serverId, status },
  });
}

function serverLabel({ serverId, url }: ServerReference): string {
  return `${quoteIfNeeded(serverId)} (${escapeInvisible(new URL(url).host)})`;
}
