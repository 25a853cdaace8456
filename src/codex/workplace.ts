import type { ServedClient } from '../serve/served-client.ts';
import type { Ceilings } from './ceilings.ts';
import type { KeptSettings } from './kept-settings.ts';
import type { ProtectedFolder } from './protected-folders.ts';
import type { Sessions } from './sessions.ts';

/** What every tool works with. */
export interface Workplace {
  readonly sessions: Sessions;
  /** Settings that callers chose, for sessions that are resumed after a restart of this server. */
  readonly kept: KeptSettings;
  readonly ceilings: Ceilings;
  /** The folder of the server: where a session works that names none. */
  readonly cwd: string;
  readonly home: string;
  readonly codexHome: string;
  /** Folders that no session may write to, `codexHome` among them. */
  readonly protectedFolders: readonly ProtectedFolder[];
  /** How long a call of this client may block. */
  readonly maxWaitMs: (client: ServedClient) => number;
}
