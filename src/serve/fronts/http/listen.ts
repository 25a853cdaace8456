import type { Server } from 'node:http';
import { AppError, messageOf } from '../../../base/errors.ts';
import { describePortOwner } from './port-owner.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
}

/** Starts to listen, and returns the actual address. If the port is in use, the error names the process that uses it. */
export async function listen(server: Server, { host, port }: ListenAddress): Promise<ListenAddress> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, backlog: BACKLOG }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw await toListenError(error, { host, port });
  }
  const address = server.address();
  return { host, port: typeof address === 'object' && address !== null ? address.port : port };
}

/** Many clients may reconnect at once after a restart. */
const BACKLOG = 4096;

async function toListenError(cause: unknown, { host, port }: ListenAddress): Promise<AppError> {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    const owner = await describePortOwner(port);
    const by = owner === undefined ? 'by another process' : `by ${owner}`;
    const message = `Port ${port} on ${host} is already in use ${by}.`;
    return new AppError('PORT_IN_USE', message, { cause });
  }
  if (code === 'EACCES')
    return new AppError('DENIED', `This user may not listen on port ${port}. Choose a port above 1023.`, { cause });
  return new AppError('USAGE', `Cannot listen on ${host}, port ${port}: ${messageOf(cause)}`, { cause });
}
