import { loginCommand } from '../../config/next-command.ts';
import { resolveHttp } from '../../config/resolve/resolve-http.ts';
import { resolveStdio } from '../../config/resolve/resolve-stdio.ts';
import { createTransports } from '../transports/transports.ts';
import type { ConnectOptions, EntryTransport } from './connect-server.ts';

/** Starts the program of an entry, or connects to its URL. */
export function openEntry({ entry, environment, signIn, onStep }: ConnectOptions): EntryTransport {
  const { env } = environment;
  const { stdio, http, tokens, close } = createTransports(env, { environment, signIn });
  if (entry.transport.kind === 'stdio')
    return { open: stdio(() => resolveStdio(entry, env, environment)), tokens, close };
  const open = http(() => {
    const server = resolveHttp(entry, env, environment);
    return {
      serverId: entry.id,
      loginCommand: loginCommand(entry),
      ...server,
      onNegotiated(variant, isSignedIn) {
        onStep?.('reached', `${new URL(server.url).host}, ${VARIANT_TEXTS[variant]}`);
        if (server.hasOwnAuthorization) onStep?.('known', 'by the header of its entry');
        else onStep?.('known', isSignedIn ? 'signed in' : 'nobody is asked to');
      },
    };
  });
  return { open, tokens, close };
}

const VARIANT_TEXTS = {
  modern: 'it speaks MCP without sessions',
  session: 'it answers',
  'legacy-sse': 'it speaks HTTP with SSE',
} as const;
