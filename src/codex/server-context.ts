import type { ServedClient } from '../serve/served-client.ts';
import type { OperatorLimits } from './limits/operator-limits.ts';
import type { ProtectedFolder } from './limits/protected-folders.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { SavedSettings } from './settings/saved-settings.ts';

/** What every tool works with. */
export interface ServerContext {
  readonly sessions: Sessions;
  /** Settings that callers chose, for sessions that are resumed after a restart of this server. */
  readonly savedSettings: SavedSettings;
  readonly operatorLimits: OperatorLimits;
  /** The folder of the server: where a session works that names none. */
  readonly cwd: string;
  readonly home: string;
  readonly codexHome: string;
  /** Folders that no session may write to, `codexHome` among them. */
  readonly protectedFolders: readonly ProtectedFolder[];
  /** How long a call of this client may block. */
  readonly maxWaitMs: (client: ServedClient) => number;
}
