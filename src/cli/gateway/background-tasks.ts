import { messageOf } from '../../base/errors.ts';
import type { Control } from '../../control/socket/control-socket.ts';
import type { Controlled } from './control.ts';
import type { Followed } from './reload-config.ts';

/** What goes on beside the client of a gateway. */
export interface Aside {
  /** The gateway is about to end: nobody else connects to it. */
  withdraw(): void;
  /** Resolves when nothing of it is left. */
  end(): Promise<void>;
}

export interface AsideOptions extends Omit<Controlled, 'aggregate'> {
  readonly followed: Followed | undefined;
}

/** To watch the config, to answer others and to keep names costs time that nobody has before the start is over. */
const BEGIN_AFTER_MS = 300;
/** The servers have said what they offer by then, or take their time. */
const KEEP_NAMES_AFTER_MS = 3_000;

export function runAside({ followed, ...options }: AsideOptions): Aside {
  const { complain } = options.context.output;
  const controlled: Controlled = { ...options, aggregate: followed?.gateway };
  let control: Promise<Control | undefined> | undefined;
  const beginning = setTimeout(() => {
    control = dare('The status of this gateway cannot be queried', complain, async () =>
      (await import('./control.ts')).openGatewayControl(controlled),
    );
    if (followed === undefined) return;
    void dare('The config is not watched for changes', followed.warn, async () =>
      (await import('./reload-config.ts')).followConfig(followed),
    );
  }, BEGIN_AFTER_MS);
  const keeping = setTimeout(() => {
    if (followed === undefined) return;
    void dare('The names of tools are not kept', followed.warn, async () =>
      (await import('./store-completion-names.ts')).keepGatewayNames(followed.gateway, options.context),
    );
  }, KEEP_NAMES_AFTER_MS);
  return {
    withdraw() {
      clearTimeout(beginning);
      void control?.then((opened) => opened?.withdraw());
    },
    async end() {
      clearTimeout(beginning);
      clearTimeout(keeping);
      await (await control)?.close();
    },
  };
}

/** Our own files may have been replaced by newer ones meanwhile: what runs goes on without this. */
async function dare<Result>(
  what: string,
  tell: (text: string) => void,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    tell(`${what}: ${messageOf(error)}`);
    return undefined;
  }
}
