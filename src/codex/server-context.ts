import type { ServedClient } from '../serve/served-client.ts';
import type { OperatorLimits } from './limits/operator-limits.ts';
import type { ProtectedFolder } from './limits/protected-folders.ts';
import type { Ownership } from './ownership/ownership.ts';
import type { Sessions } from './sessions/sessions.ts';
import type { SavedSettings } from './settings/saved-settings.ts';

/** The dependencies of every tool. */
export interface ServerContext {
  readonly sessions: Sessions;
  /** Settings that callers chose, for sessions that are resumed after a restart of this server. */
  readonly savedSettings: SavedSettings;
  /** Undefined if the clients may use every session of the user. */
  readonly ownership?: Ownership | undefined;
  readonly operatorLimits: OperatorLimits;
  /** The working folder of the server, and the default for sessions. */
  readonly cwd: string;
  readonly home: string;
  readonly codexHome: string;
  /** Folders that no session may write to, including `codexHome`. */
  readonly protectedFolders: readonly ProtectedFolder[];
  /** How long a call of this client may block. */
  readonly maxWaitMs: (client: ServedClient) => number;
}
