import { messageOf } from '../../base/errors.ts';
import type { ConfigWatcher } from '../../config/watch/watch-config.ts';
import type { ControlSocket } from '../../control/socket/control-socket.ts';
import type { ControlledGateway } from './control.ts';
import type { ConfigReload } from './reload-config.ts';

/** Tasks of a gateway beside serving its client. */
export interface BackgroundTasks {
  /** Stops accepting control connections and watching the config, because the gateway is about to exit. */
  stopAccepting(): void;
  /** Resolves when all tasks have ended. */
  close(): Promise<void>;
}

export interface BackgroundTaskOptions extends Omit<ControlledGateway, 'aggregate'> {
  readonly reload: ConfigReload | undefined;
}

/** Watching the config, the control socket and storing names would slow down the start. */
const START_AFTER_MS = 300;
/** By then most servers have listed their tools. */
const STORE_NAMES_AFTER_MS = 3_000;

export function startBackgroundTasks({ reload, ...options }: BackgroundTaskOptions): BackgroundTasks {
  const { report } = options.context.output;
  const controlled: ControlledGateway = { ...options, aggregate: reload?.gateway };
  let control: Promise<ControlSocket | undefined> | undefined;
  let watcher: Promise<ConfigWatcher | undefined> | undefined;
  const startTimer = setTimeout(() => {
    control = runOrWarn('The status of this gateway cannot be queried', report, async () =>
      (await import('./control.ts')).openGatewayControl(controlled),
    );
    if (reload === undefined) return;
    watcher = runOrWarn('The config is not watched for changes', reload.warn, async () =>
      (await import('./reload-config.ts')).reloadOnChange(reload),
    );
  }, START_AFTER_MS);
  const storeTimer = setTimeout(() => {
    if (reload === undefined) return;
    void runOrWarn('Tool names are not stored for shell completion', reload.warn, async () =>
      (await import('./store-completion-names.ts')).storeGatewayNames(reload.gateway, options.context),
    );
  }, STORE_NAMES_AFTER_MS);
  return {
    stopAccepting() {
      clearTimeout(startTimer);
      void control?.then((opened) => opened?.withdraw());
      void watcher?.then((opened) => opened?.close());
    },
    async close() {
      clearTimeout(startTimer);
      clearTimeout(storeTimer);
      (await watcher)?.close();
      await (await control)?.close();
    },
  };
}

/** An upgrade may have replaced our own files: the running gateway continues without the task. */
async function runOrWarn<Result>(
  what: string,
  warn: (text: string) => void,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    warn(`${what}: ${messageOf(error)}`);
    return undefined;
  }
}
