import { dataFolder, type Environment, platformPath } from '../../config/files/folders.ts';
import { openDurableSessionIds } from '../../serve/fronts/http/durable-session-ids.ts';
import type { SessionIds } from '../../serve/fronts/http/session-ids.ts';

export interface HttpSessionIdsOptions {
  /** Prefix of the file names. It differs because a gateway and a codex server may use the same port in turn. */
  readonly name: 'http' | 'codex-http';
  /** The port that the server listens on. Only one process at a time can have it, so only one writes its journal. */
  readonly port: number;
  readonly environment: Environment;
  readonly onProblem: (text: string) => void;
}

/**
 * Returns ids for sessions that the next server on this port can continue. Undefined if the system chooses the port,
 * because clients could not find the next server.
 */
export function createHttpSessionIds({
  name,
  port,
  environment,
  onProblem,
}: HttpSessionIdsOptions): SessionIds | undefined {
  if (port === 0) return undefined;
  const fileIn = (file: string) => platformPath(environment.platform).join(dataFolder(environment), file);
  let opened: SessionIds | undefined;
  /** Opened at the first request: until the server has the port, another process may be using the journal. */
  const ids = (): SessionIds => {
    opened ??= openDurableSessionIds({
      keyFile: fileIn(`${name}-session.key`),
      journalFile: fileIn(`${name}-sessions-${port}.jsonl`),
      onProblem,
    });
    return opened;
  };
  return {
    create: (session) => ids().create(session),
    open: (id, client) => ids().open(id, client),
    save: (id, settings) => ids().save(id, settings),
    used: (id) => ids().used(id),
    close: (id) => ids().close(id),
  };
}
