import type { Environment } from '../../config/files/folders.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { SignIn } from '../transports/http/http-servers.ts';
import type { OpenTransport } from '../transports/transport.ts';
import { createTransports } from '../transports/transports.ts';
import { openEntry } from './open-entry.ts';

/** The transport of one entry, with the resources to close afterward. */
export interface EntryTransport {
  readonly open: OpenTransport;
  /** Returns the access tokens that are sent to the server. */
  tokens(): readonly string[];
  close(): Promise<void>;
}

export interface OpenSingleOptions {
  readonly entry: ServerEntry;
  readonly environment: Environment;
  /** Signs in if the server requires it. Without it, connecting fails with `SIGN_IN_NEEDED`. */
  readonly signIn?: SignIn | undefined;
  /** Called after each completed step. */
  readonly onStep?: ((step: 'reached' | 'known' | 'initialized', what: string) => void) | undefined;
}

/** Returns how to open an entry that shares its transports with no other. */
export function openSingleEntry({ entry, environment, signIn, onStep }: OpenSingleOptions): EntryTransport {
  const transports = createTransports(environment.env, { environment, signIn });
  const open = openEntry(entry, {
    transports,
    environment,
    onNegotiated({ url, hasOwnAuthorization }, variant, isSignedIn) {
      onStep?.('reached', `${new URL(url).host} ${VARIANT_TEXTS[variant]}`);
      if (hasOwnAuthorization) onStep?.('known', 'using the header in its config entry');
      else onStep?.('known', isSignedIn ? 'signed in' : 'not required');
    },
  });
  return { open, tokens: transports.tokens, close: transports.close };
}

const VARIANT_TEXTS = {
  modern: 'uses MCP without sessions',
  session: 'responds',
  'legacy-sse': 'uses HTTP with SSE',
} as const;
