import { loginCommand } from '../../config/next-command.ts';
import { resolveHttp } from '../../config/resolve/resolve-http.ts';
import { resolveStdio } from '../../config/resolve/resolve-stdio.ts';
import { createTransports } from '../transports/transports.ts';
import type { ConnectOptions, Way } from './connect-server.ts';

/** Starts the program of an entry, or connects to its URL. */
export function openEntry({ entry, surroundings, signIn, onStep }: ConnectOptions): Way {
  const { env } = surroundings;
  const { stdio, http, tokens, close } = createTransports(env, { surroundings, signIn });
  if (entry.transport.kind === 'stdio')
    return { open: stdio(() => resolveStdio(entry, env, surroundings)), tokens, close };
  const open = http(() => {
    const server = resolveHttp(entry, env, surroundings);
    return {
      serverId: entry.id,
      loginCommand: loginCommand(entry),
      ...server,
      onMet(way, isSignedIn) {
        onStep?.('reached', `${new URL(server.url).host}, ${WAYS[way]}`);
        if (server.hasOwnAuthorization) onStep?.('known', 'by the header of its entry');
        else onStep?.('known', isSignedIn ? 'signed in' : 'nobody is asked to');
      },
    };
  });
  return { open, tokens, close };
}

const WAYS = {
  modern: 'it speaks MCP without sessions',
  session: 'it answers',
  'two-addresses': 'it speaks HTTP with SSE',
} as const;
