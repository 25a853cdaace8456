import type { ServerEntry } from '../../../config/server-entry.ts';
import { connectServer } from '../../../upstream/entry/connect-server.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';

/** Connects like any client and disconnects. Throws if the server requires a sign-in. */
export async function connectWithoutSignIn(
  entry: ServerEntry,
  context: Pick<CommandContext, 'env' | 'cwd' | 'home'>,
): Promise<void> {
  const server = await connectServer({ entry, environment: environmentOf(context) });
  await server.close();
}
