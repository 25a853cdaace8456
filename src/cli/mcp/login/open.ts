import type { ServerEntry } from '../../../config/server-entry.ts';
import { connectServer } from '../../../upstream/entry/connect-server.ts';
import type { CommandContext } from '../../command-context.ts';

/** Connects like any client and disconnects. Throws if the server requires a sign-in. */
export async function connectWithoutSignIn(
  entry: ServerEntry,
  { cwd, home, env }: Pick<CommandContext, 'env' | 'cwd' | 'home'>,
): Promise<void> {
  const environment = { cwd, home, env, platform: process.platform };
  const server = await connectServer({ entry, environment });
  await server.close();
}
