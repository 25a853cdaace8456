import type { Environment } from '../../config/files/folders.ts';
import { type Client, clients } from '../clients.ts';
import { openConnections } from './connections.ts';
import { disabledNames } from './plan-connect.ts';
import { findTarget, userFile } from './targets.ts';
import { readUndoCopy } from './undo-copy.ts';

/** A connection of which only the backup beside the client's file is left, because the data folder was lost. */
export interface LostConnection {
  readonly client: Client;
  /** Names of the client's own servers that were turned off. */
  readonly disabled: readonly string[];
}

/** Finds the connections that are not recorded. Throws if a backup is damaged. */
export function findLostConnections(environment: Environment): readonly LostConnection[] {
  const recorded = openConnections(environment).readAll();
  return clients.flatMap((client) => {
    const target = findTarget(client.id);
    if (target === undefined || recorded.some((one) => one.client === client.id)) return [];
    const connection = readUndoCopy({ client: client.id, file: userFile(target, environment).file });
    return connection === undefined ? [] : [{ client, disabled: disabledNames({ connection }) }];
  });
}
