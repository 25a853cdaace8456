import { createLog } from '../base/log.ts';
import { openProcesses } from '../base/process/processes.ts';
import { readEnvironment } from '../codex/environment.ts';
import { serveClient } from '../serve/serve-client.ts';
import type { Transport } from '../serve/transport.ts';
import type { CodexOptions } from './codex-options.ts';
import type { CommandContext } from './main.ts';
import { openCodex } from './open-codex.ts';
import { createSecrets } from '../config/secrets.ts';

/** What was opened before the server was loaded. */
export interface CodexEntrance {
  readonly transport: Transport;
  /** What the machine is, as it is told to clients: `linux; x64`. */
  readonly machine: string;
}

/** Serves the client until it leaves or we are told to end; then nothing is left of what was started for it. */
export async function runCodex(options: CodexOptions, context: CommandContext, entrance: CodexEntrance): Promise<void> {
  const { transport, machine } = entrance;
  const environment = readEnvironment(context.env);
  const { redact } = createSecrets(context.env);
  const log = createLog({ level: environment.logLevel, write: context.output.complain, redact });
  for (const problem of environment.problems) log.warn(problem);
  const processes = openProcesses({ env: context.env });
  const { server, sessions } = openCodex(options, { environment, context, log, processes, machine });
  try {
    await serveClient(server, transport);
  } finally {
    await sessions.close();
    await processes.close();
    // Nothing that is still open may keep us: all has been said and stopped.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

const LINGER_MS = 100;
