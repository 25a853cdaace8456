import { existsSync } from 'node:fs';
import { messageOf } from '../../../base/errors.ts';
import { programName } from '../../../base/program-name.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { serverCommand } from '../../../config/next-command.ts';

export interface RenamedServer {
  readonly id: string;
  readonly to: string;
  /** The config file that defines it. */
  readonly file: string;
  /** Whether another file still defines a server of the old name. */
  readonly isShared: boolean;
}

interface Moved {
  /** What was moved: `sign-in`, `pinned tools`, `client records`. */
  readonly done: readonly string[];
  /** What must be done again. */
  readonly warnings: readonly string[];
}

interface MoveOptions {
  readonly environment: Environment;
  readonly isDryRun: boolean;
}

/** Moves everything that is stored under the id of a server. Cached catalogs are fetched again at the next start. */
export async function moveStoredData(renamed: RenamedServer, options: MoveOptions): Promise<Moved> {
  const moves = [
    { what: 'sign-in', move: moveSignIn, remedy: serverCommand('mcp login', renamed.to) },
    { what: 'pinned tools', move: movePins, remedy: serverCommand('trust', renamed.to) },
    { what: 'client records', move: moveClientRecords, remedy: `${programName()} import` },
  ];
  const done: string[] = [];
  const warnings: string[] = [];
  for (const { what, move, remedy } of moves) {
    try {
      if (await move(renamed, options)) done.push(what);
    } catch (error) {
      warnings.push(`its ${what} could not be moved: ${messageOf(error)} To set it up again, run ${remedy}`);
    }
  }
  return { done, warnings };
}

/** Copies the sign-in if another server of the old name remains, and else moves it. */
async function moveSignIn(
  { id, to, isShared }: RenamedServer,
  { environment, isDryRun }: MoveOptions,
): Promise<boolean> {
  const { authFile, openAuthStore } = await import('../../../auth/store/auth-store.ts');
  if (!existsSync(authFile(environment))) return false;
  const store = openAuthStore(environment);
  // A record applies to one URL. With an empty URL, the reason exists exactly if there is a record.
  if (store.ignoredReason(id, '') === undefined) return false;
  if (isDryRun) return true;
  let record: Parameters<Parameters<typeof store.update>[1]>[0];
  store.update(id, (found) => {
    record = found;
    return found;
  });
  store.update(to, () => record);
  if (!isShared) store.update(id, () => undefined);
  return true;
}

async function movePins({ id, to, file }: RenamedServer, { environment, isDryRun }: MoveOptions): Promise<boolean> {
  const { openPinStore, pinFile } = await import('../../../config/trust/pin-store.ts');
  if (!existsSync(pinFile(environment))) return false;
  const store = openPinStore(environment);
  const record = store.read(file, id);
  if (record === undefined) return false;
  if (!isDryRun) store.rename(file, id, to);
  return true;
}

/** Updates which servers each connected client sees. */
async function moveClientRecords(
  { id, to, isShared }: RenamedServer,
  { environment, isDryRun }: MoveOptions,
): Promise<boolean> {
  const { openClientServers } = await import('../../../clients/client-servers.ts');
  const store = openClientServers(environment);
  const rename = (ids: readonly string[]) => ids.flatMap((one) => (one !== id ? [one] : isShared ? [id, to] : [to]));
  const clients = Object.entries(store.readAll()).filter(
    ([, { imported, shared }]) => imported.includes(id) || shared.includes(id),
  );
  for (const [client] of isDryRun ? [] : clients)
    store.change(client, (before) => {
      if (before === undefined) return before;
      const names = Object.entries(before.names ?? {}).map(([name, one]) => [name, one === id ? to : one] as const);
      return {
        ...before,
        imported: rename(before.imported),
        shared: rename(before.shared),
        ...(before.names === undefined ? {} : { names: Object.fromEntries(names) }),
      };
    });
  return clients.length > 0;
}
