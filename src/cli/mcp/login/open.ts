import type { ServerEntry } from '../../../config/server-entry.ts';
import { connectServer } from '../../../upstream/entry/connect-server.ts';
import type { CommandContext } from '../../main.ts';

/** Connects as every client does, and ends it again. Throws for a server that does not let us in without a sign-in. */
export async function connectWithoutSignIn(
  entry: ServerEntry,
  { cwd, home, env }: Pick<CommandContext, 'env' | 'cwd' | 'home'>,
): Promise<void> {
  const environment = { cwd, home, env, platform: process.platform };
  const server = await connectServer({ entry, environment });
  await server.close();
}
