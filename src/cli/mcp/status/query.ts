import { type ErrorCode, toAppError } from '../../../base/errors.ts';
import type { Environment } from '../../../config/files/folders.ts';
import { sendControlRequest } from '../../../control/socket/control-request.ts';
import {
  type FoundInstances,
  findRunningInstances,
  type RunningInstance,
} from '../../../control/socket/running-instances.ts';
import { decodeRunningStatus, decodeServerDetail } from '../../../control/status/decode-status.ts';
import type { RunningStatus, ServerDetail } from '../../../control/status/running-status.ts';

/** The result of querying every running instance. */
export interface QueryResult<T> extends Pick<FoundInstances, 'ignored'> {
  /** Oldest first. */
  readonly responses: readonly T[];
  readonly failed: readonly QueryFailure[];
}

/** An instance that seems to run but did not respond. */
export interface QueryFailure extends Pick<RunningInstance, 'pid'> {
  readonly code: ErrorCode;
  readonly message: string;
}

export function queryAll(
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<QueryResult<RunningStatus>> {
  return query(environment, signal, readStatus);
}

/** One server of a running instance, with the status of the instance. */
export interface RunningDetail {
  readonly status: RunningStatus;
  /** Undefined when the instance has no such server. */
  readonly server: ServerDetail | undefined;
}

export function queryServer(
  id: string,
  environment: Environment,
  signal: AbortSignal | undefined,
): Promise<QueryResult<RunningDetail>> {
  return query(environment, signal, async (running, options) => {
    const status = await readStatus(running, options);
    if (!status.servers.some((server) => server.id === id)) return { status, server: undefined };
    const server = decodeServerDetail(await sendControlRequest(running, 'mcp.get', { id }, options), running.pid);
    return { status, server };
  });
}

const TIMEOUT_MS = 1_000;

interface QueryOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Queries all instances in parallel, so that a hanging one does not delay the others. */
async function query<T>(
  environment: Environment,
  signal: AbortSignal | undefined,
  read: (running: RunningInstance, options: QueryOptions) => Promise<T>,
): Promise<QueryResult<T>> {
  const { running, ignored } = findRunningInstances(environment);
  const options: QueryOptions = { timeoutMs: TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
  const settled = await Promise.allSettled(running.map((one) => read(one, options)));
  const failed = settled.flatMap((one, index) => {
    if (one.status === 'fulfilled') return [];
    const { code, message, data } = toAppError(one.reason);
    if (data?.['isDeserted'] === true) return [];
    return [{ pid: running[index]?.pid ?? 0, code, message }];
  });
  return { responses: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])), failed, ignored };
}

async function readStatus(running: RunningInstance, options: QueryOptions): Promise<RunningStatus> {
  return decodeRunningStatus(await sendControlRequest(running, 'mcp.list', undefined, options), running.pid);
}
