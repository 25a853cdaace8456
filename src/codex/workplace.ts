import type { ServedClient } from '../serve/served-client.ts';
import type { Ceilings } from './ceilings.ts';
import type { Sessions } from './sessions.ts';

/** What every tool works with. */
export interface Workplace {
  readonly sessions: Sessions;
  readonly ceilings: Ceilings;
  /** The folder of the server: where a session works that names none. */
  readonly cwd: string;
  readonly home: string;
  readonly codexHome: string;
  /** How long a call of this client may block. */
  readonly maxWaitMs: (client: ServedClient) => number;
}
