import type { ConfigWatcher } from '../../config/watch/watch-config.ts';
import { openControlSocketLater, START_AFTER_MS } from '../delayed-control-socket.ts';
import { runOrWarn } from '../run-or-warn.ts';
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

/** By then most servers have listed their tools. */
const STORE_NAMES_AFTER_MS = 3_000;

export function startBackgroundTasks({ reload, ...options }: BackgroundTaskOptions): BackgroundTasks {
  const controlled: ControlledGateway = { ...options, aggregate: reload?.gateway };
  const control = openControlSocketLater({
    subject: 'gateway',
    open: async () => (await import('./control.ts')).openGatewayControl(controlled),
    warn: options.context.output.report,
  });
  let watcher: Promise<ConfigWatcher | undefined> | undefined;
  const watchTimer = setTimeout(() => {
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
      control.stopAccepting();
      clearTimeout(watchTimer);
      void watcher?.then((opened) => opened?.close());
    },
    async close() {
      clearTimeout(watchTimer);
      clearTimeout(storeTimer);
      (await watcher)?.close();
      await control.close();
    },
  };
}
