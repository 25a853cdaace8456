import { messageOf } from '../../base/errors.ts';
import { createLog } from '../../base/log.ts';
import { openProcesses } from '../../base/process/processes.ts';
import { readEnvSettings } from '../../codex/env-settings.ts';
import { createConfigRedactor } from '../../config/secrets/config-redactor.ts';
import type { ControlSocket } from '../../control/socket/control-socket.ts';
import type { Transport } from '../../serve/fronts/transport.ts';
import { serveClient } from '../../serve/serve-client.ts';
import type { CommandContext } from '../command-context.ts';
import type { ControlledCodex } from './control.ts';
import { openCodex } from './open.ts';
import type { CodexOptions } from './options.ts';
import { observeTransport, sendWellFormed } from './wrap-transport.ts';

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
  const { redact } = createConfigRedactor(context.env);
  const log = createLog({ level: envSettings.logLevel, write: context.output.report, redact });
  for (const problem of envSettings.problems) log.warn(problem);
  const processes = openProcesses({ env: context.env });
  const { server, sessions } = openCodex(options, { envSettings, context, log, processes, machine });
  let control: Promise<ControlSocket | undefined> | undefined;
  // Before calls have ended: those may take longer than the caller waits before it kills the process.
  const stopAccepting = () => {
    clearTimeout(listening);
    void control?.then((opened) => opened?.withdraw());
  };
  let first: string | undefined;
  const transport = observeTransport(sendWellFormed(connection.transport), {
    // Only a status request parses it, which is rare.
    message(text) {
      first ??= text.length <= MAX_FIRST_MESSAGE_LENGTH ? text : '';
    },
    left: stopAccepting,
  });
  // Delayed, because opening the socket costs time during the start.
  const listening = setTimeout(() => {
    control = openControlSocket({ sessions, context, startedAt, firstMessage: () => first, warn: log.warn });
  }, LISTEN_AFTER_MS);
  try {
    await serveClient(server, transport);
  } finally {
    clearTimeout(listening);
    await (await control)?.close();
    await sessions.close();
    await processes.close();
    // All output is written and all processes are stopped, so no open handle may keep the process alive.
    setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();
  }
}

const LISTEN_AFTER_MS = 300;
const EXIT_DELAY_MS = 100;
/** A longer first message is not an `initialize` request. */
const MAX_FIRST_MESSAGE_LENGTH = 64 * 1024;

/** Opens the control socket; a failure does not end the server. */
async function openControlSocket(controlled: ControlledCodex): Promise<ControlSocket | undefined> {
  try {
    return await (await import('./control.ts')).openCodexControl(controlled);
  } catch (error) {
    // An upgrade may have replaced our own files. The running server continues.
    controlled.warn(`The status of this codex server cannot be queried: ${messageOf(error)}`);
    return undefined;
  }
}
