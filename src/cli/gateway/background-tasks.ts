import { messageOf } from '../../base/errors.ts';
import type { ControlSocket } from '../../control/socket/control-socket.ts';
import type { ControlledGateway } from './control.ts';
import type { ConfigReload } from './reload-config.ts';

/** What goes on beside the client of a gateway. */
export interface BackgroundTasks {
  /** The gateway is about to end: nobody else connects to it. */
  stopAccepting(): void;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface BackgroundTaskOptions extends Omit<ControlledGateway, 'aggregate'> {
  readonly reload: ConfigReload | undefined;
}

/** To watch the config, to answer others and to keep names costs time that nobody has before the start is over. */
const START_AFTER_MS = 300;
/** The servers have said what they offer by then, or take their time. */
const STORE_NAMES_AFTER_MS = 3_000;

export function startBackgroundTasks({ reload, ...options }: BackgroundTaskOptions): BackgroundTasks {
  const { report } = options.context.output;
  const controlled: ControlledGateway = { ...options, aggregate: reload?.gateway };
  let control: Promise<ControlSocket | undefined> | undefined;
  const startTimer = setTimeout(() => {
    control = runOrWarn('The status of this gateway cannot be queried', report, async () =>
      (await import('./control.ts')).openGatewayControl(controlled),
    );
    if (reload === undefined) return;
    void runOrWarn('The config is not watched for changes', reload.warn, async () =>
      (await import('./reload-config.ts')).reloadOnChange(reload),
    );
  }, START_AFTER_MS);
  const storeTimer = setTimeout(() => {
    if (reload === undefined) return;
    void runOrWarn('The names of tools are not kept', reload.warn, async () =>
      (await import('./store-completion-names.ts')).storeGatewayNames(reload.gateway, options.context),
    );
  }, STORE_NAMES_AFTER_MS);
  return {
    stopAccepting() {
      clearTimeout(startTimer);
      void control?.then((opened) => opened?.withdraw());
    },
    async close() {
      clearTimeout(startTimer);
      clearTimeout(storeTimer);
      await (await control)?.close();
    },
  };
}

/** Our own files may have been replaced by newer ones meanwhile: what runs goes on without this. */
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
