import type { SignIn } from '../../upstream/transports/http/http-servers.ts';
import type { HostOptions } from '../host-options.ts';

export interface SignIns {
  /** Undefined when the application has no `signIn` option. */
  readonly signIn: SignIn | undefined;
  /** Whether a sign-in to this server is pending. Meanwhile its deadlines are paused. */
  isPending(serverId: string): boolean;
}

/** Tracks pending sign-ins. Loads the sign-in code on first use. */
export function createSignIns({ signIn: prompt, clientMetadataUrl }: HostOptions, closing: AbortSignal): SignIns {
  const pending = new Map<string, number>();
  const count = (serverId: string, by: number) => pending.set(serverId, (pending.get(serverId) ?? 0) + by);
  const signIn: SignIn = async (refused) => {
    if (prompt === undefined) return;
    const { serverId } = refused.server;
    count(serverId, 1);
    try {
      const { signInThroughApplication } = await import('./sign-in.ts');
      await signInThroughApplication(refused, { prompt, metadataUrl: clientMetadataUrl, closing });
    } finally {
      count(serverId, -1);
    }
  };
  return {
    signIn: prompt && signIn,
    isPending: (serverId) => (pending.get(serverId) ?? 0) > 0,
  };
}
