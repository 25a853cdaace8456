import type { Environment } from '../../config/files/folders.ts';
import { loginCommand } from '../../config/next-command.ts';
import { entryVariables } from '../../config/resolve/entry-variables.ts';
import { type ResolvedHttp, resolveHttp } from '../../config/resolve/resolve-http.ts';
import { resolveStdio } from '../../config/resolve/resolve-stdio.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { ProtocolVariant } from '../transports/http/protocol-negotiation.ts';
import type { OpenTransport } from '../transports/transport.ts';
import type { Transports } from '../transports/transports.ts';

export interface OpenEntryOptions {
  readonly transports: Transports;
  readonly environment: Environment;
  /** Working folder of programs whose entry names none. Without it, they run in that of this process. */
  readonly defaultCwd?: string | undefined;
  /** Variables that are set for every program, whatever its entry says. */
  readonly addedEnv?: Readonly<Record<string, string>> | undefined;
  readonly onStderrLine?: ((serverId: string, line: string) => void) | undefined;
  /** Called when an HTTP server has responded for the first time. */
  readonly onNegotiated?: (server: ResolvedHttp, variant: ProtocolVariant['kind'], isSignedIn: boolean) => void;
}

/**
 * Returns how to start the program of an entry, or to connect to its URL. The entry is resolved at each start, because
 * variables may have changed.
 */
export function openEntry(entry: ServerEntry, options: OpenEntryOptions): OpenTransport {
  const { transports, environment, defaultCwd, addedEnv, onStderrLine, onNegotiated } = options;
  if (entry.transport.kind === 'stdio')
    return transports.stdio(() => {
      const program = resolveStdio(entry, entryVariables(entry, environment), environment);
      return {
        ...program,
        cwd: program.cwd ?? defaultCwd,
        env: { ...program.env, ...addedEnv },
        onStderrLine: onStderrLine && ((line) => onStderrLine(entry.id, line)),
      };
    });
  return transports.http(() => {
    const server = resolveHttp(entry, entryVariables(entry, environment), environment);
    return {
      serverId: entry.id,
      loginCommand: loginCommand(entry),
      ...server,
      onNegotiated: onNegotiated && ((variant, isSignedIn) => onNegotiated(server, variant, isSignedIn)),
    };
  });
}
