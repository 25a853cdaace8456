import { type ErrorCode, toAppError } from '../../../base/errors.ts';
import type { Surroundings } from '../../../config/files/folders.ts';
import { askRunning } from '../../../control/socket/control-request.ts';
import { findRunning, type Ignored, type Running } from '../../../control/socket/running-instances.ts';
import { decodeDetail, decodeRunning } from '../../../control/status/decode-status.ts';
import type { RunningStatus, ServerDetail } from '../../../control/status/running-status.ts';

/** What came of asking everything that runs here. */
export interface Asked<T> {
  /** The oldest first. */
  readonly answers: readonly T[];
  readonly failed: readonly Failed[];
  readonly ignored: readonly Ignored[];
}

/** One that seemed to run and gave no answer. */
export interface Failed {
  readonly pid: number;
  readonly code: ErrorCode;
  readonly message: string;
}

export function askAll(surroundings: Surroundings, signal: AbortSignal | undefined): Promise<Asked<RunningStatus>> {
  return ask(surroundings, signal, readStatus);
}

/** One server of one that runs, beside all that this one tells. */
export interface RunningDetail {
  readonly status: RunningStatus;
  /** Undefined when it has no such server. */
  readonly server: ServerDetail | undefined;
}

export function askForServer(
  id: string,
  surroundings: Surroundings,
  signal: AbortSignal | undefined,
): Promise<Asked<RunningDetail>> {
  return ask(surroundings, signal, async (running, patience) => {
    const status = await readStatus(running, patience);
    if (!status.servers.some((server) => server.id === id)) return { status, server: undefined };
    const server = decodeDetail(await askRunning(running, 'mcp.get', { id }, patience), running.pid);
    return { status, server };
  });
}

const TIMEOUT_MS = 1_000;

interface Patience {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** All at once: one that hangs keeps nobody waiting for longer than itself. */
async function ask<T>(
  surroundings: Surroundings,
  signal: AbortSignal | undefined,
  read: (running: Running, patience: Patience) => Promise<T>,
): Promise<Asked<T>> {
  const { running, ignored } = findRunning(surroundings);
  const patience: Patience = { timeoutMs: TIMEOUT_MS, ...(signal === undefined ? {} : { signal }) };
  const asked = await Promise.allSettled(running.map((one) => read(one, patience)));
  const failed = asked.flatMap((one, index) => {
    if (one.status === 'fulfilled') return [];
    const { code, message, data } = toAppError(one.reason);
    if (data?.['isDeserted'] === true) return [];
    return [{ pid: running[index]?.pid ?? 0, code, message }];
  });
  return { answers: asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])), failed, ignored };
}

async function readStatus(running: Running, patience: Patience): Promise<RunningStatus> {
  return decodeRunning(await askRunning(running, 'mcp.list', undefined, patience), running.pid);
}
