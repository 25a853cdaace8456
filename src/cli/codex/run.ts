import { createLog } from '../../base/log.ts';
import { openProcesses } from '../../base/process/processes.ts';
import { readEnvSettings } from '../../codex/env-settings.ts';
import { createConfigRedactor } from '../../config/secrets/config-redactor.ts';
import type { Transport } from '../../serve/fronts/transport.ts';
import { serveConnection } from '../../serve/serve-client.ts';
import type { ServedClient } from '../../serve/served-client.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { openControlSocketLater } from '../delayed-control-socket.ts';
import { exitSoon } from '../exit-soon.ts';
import { openCodex } from './open.ts';
import type { CodexOptions } from './options.ts';
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
  const envSettings = readEnvSettings(context.env);
  const { redact } = createConfigRedactor(environmentOf(context));
  const log = createLog({ level: envSettings.logLevel, write: context.output.report, redact });
  for (const problem of envSettings.problems) log.warn(problem);
  const processes = openProcesses({ env: context.env });
  const { server, sessions } = openCodex(options, { envSettings, context, log, processes, machine });
  let client: ServedClient | undefined;
  const control = openControlSocketLater({
    subject: 'codex server',
    open: async () =>
      (await import('./control.ts')).openCodexControl({
        ...{ sessions, context, startedAt, warn: log.warn },
        clientInfo: () => client?.info,
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
