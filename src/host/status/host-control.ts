import { AppError } from '../../base/errors.ts';
import {
  type ControlSocket,
  type ControlSocketOptions,
  openControlSocket,
} from '../../control/socket/control-socket.ts';
import type { RunningStatus, ServerDetail } from '../../control/status/running-status.ts';
import { requireStringParam } from '../../wire/rpc/string-param.ts';

export interface HostControlOptions extends Pick<ControlSocketOptions, 'environment' | 'onProblem'> {
  readonly status: () => RunningStatus;
  readonly get: (serverId: string) => ServerDetail;
}

/** Answers status requests on the control socket. Only the application itself can call the host's servers. */
export function openHostControl({
  status,
  get,
  ...socketOptions
}: HostControlOptions): Promise<ControlSocket | undefined> {
  return openControlSocket({
    ...socketOptions,
    answer(method, params) {
      if (method === 'mcp.list') return status();
      if (method === 'mcp.get') return get(requireStringParam({ method, params }, 'id'));
      throw new AppError('METHOD_NOT_FOUND', `A host does not support ${method}.`);
    },
  });
}
