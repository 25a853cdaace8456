import type { Transport } from '../../serve/fronts/transport.ts';
import { serveConnection } from '../../serve/serve-client.ts';
import type { ServedClient } from '../../serve/served-client.ts';
import type { CommandContext } from '../command-context.ts';
import { openControlSocketLater } from '../delayed-control-socket.ts';
import { exitSoon } from '../exit-soon.ts';
import { openCodex } from './open.ts';
import type { CodexOptions } from './options.ts';
import { openCodexRuntime } from './runtime.ts';
import { beforeEnd, sendWellFormed } from './wrap-transport.ts';

/** The connection that was opened before the server was loaded. */
export interface EarlyCodexConnection {
  readonly transport: Transport;
  /** Platform text for clients: `linux; x64`. */
  readonly machine: string;
}

/** Serves the client until it disconnects or a signal arrives, then stops everything that was started for it. */
export async function runCodex(
  options: CodexOptions,
  context: CommandContext,
  connection: EarlyCodexConnection,
): Promise<void> {
  const { machine } = connection;
  const startedAt = Date.now();
  const runtime = openCodexRuntime(context);
  const { log, processes } = runtime;
  const { server, sessions } = openCodex(options, { ...runtime, context, machine });
  let client: ServedClient | undefined;
  const control = openControlSocketLater({
    subject: 'codex server',
    open: async () =>
      (await import('./control.ts')).openCodexControl({
        ...{ context, startedAt, warn: log.warn },
        sessions: () => sessions.registry.all(),
        clientInfos: () => (client === undefined ? [] : [client.info]),
      }),
    warn: log.warn,
  });
  const transport = beforeEnd(sendWellFormed(connection.transport), control.stopAccepting);
  try {
    await serveConnection(server, transport, (served) => {
      client = served;
    });
  } finally {
    await control.close();
    await sessions.close();
    await processes.close();
    exitSoon();
  }
}
