import { AppError } from '../../../base/errors.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { trustCommand } from '../../../config/merge-files.ts';
import { loginCommand } from '../../../config/next-command.ts';
import { formatLocation } from '../../../config/problem.ts';
import { entryVariables } from '../../../config/resolve/entry-variables.ts';
import { type ResolvedHttp, resolveHttp } from '../../../config/resolve/resolve-http.ts';
import type { ConfiguredServer, ServerEntry } from '../../../config/server-entry.ts';
import { unknownServer } from '../../../config/unknown-server.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { loadEveryServer } from '../../load-every-server.ts';
import { disabledError } from '../config/entry-errors.ts';

/** The server to sign in to, and the command for it. */
export interface LoginEntry extends ResolvedHttp {
  readonly entry: ServerEntry;
  readonly command: string;
}

export type ConfigContext = Pick<CommandContext, 'env' | 'cwd' | 'home'>;

/** Resolves the server of this id as a gateway in the working directory would. Throws when sign-in is impossible. */
export async function findLoginEntry(id: string, context: ConfigContext): Promise<LoginEntry> {
  const config = await loadEveryServer(context);
  const server = config.servers.find((one) => one.id === id);
  if (server === undefined) throw unknownServer(id, config);
  const { verdict, origin } = server;
  if (verdict.kind !== 'usable') throw unusableError(server, verdict);
  const where = formatLocation(origin.file, origin.line);
  if (verdict.entry.transport.kind !== 'http')
    throw new AppError('USAGE', `${quoteIfNeeded(id)} is a stdio server and needs no sign-in (${where}).`);
  const environment = environmentOf(context);
  const resolved = resolveHttp(verdict.entry, entryVariables(verdict.entry, environment), environment);
  if (!resolved.hasOwnAuthorization) return { ...resolved, entry: verdict.entry, command: loginCommand(server) };
  const message = `${quoteIfNeeded(id)} has its own Authorization header (${where}) and needs no sign-in. To sign in instead, remove the header first.`;
  throw new AppError('USAGE', message);
}

function unusableError(
  { id, origin }: ConfiguredServer,
  verdict: Exclude<ConfiguredServer['verdict'], { readonly kind: 'usable' }>,
): AppError {
  const name = `${quoteIfNeeded(id)} (${formatLocation(origin.file, origin.line)})`;
  const reason = escapeInvisible(verdict.reason);
  if (verdict.kind === 'error') return new AppError('CONFIG_INVALID', `${name} cannot be used: ${reason}`);
  if (verdict.isUntrusted)
    return new AppError('DENIED', `${name} is not trusted, so nothing is sent to it. Run: ${trustCommand(origin)}`);
  return disabledError({ id, origin }, verdict.reason);
}
