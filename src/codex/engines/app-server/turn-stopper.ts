import { setTimeout as delay } from 'node:timers/promises';
import { AppError, messageOf } from '../../../base/errors.ts';
import { killMarkedProcesses } from '../../../base/process/marked-processes.ts';
import type { TurnRef } from '../../engine.ts';
import type { AppServerClient } from './client.ts';
import { isNoActiveTurn, isUnknownMethod } from './protocol/failures.ts';
import type { SubAgents } from './sub-agents.ts';
import type { Threads } from './threads.ts';

export interface TurnStopperOptions {
  readonly client: AppServerClient;
  readonly threads: Threads;
  readonly subAgents: SubAgents;
  readonly log: { debug(text: string): void };
}

/** Codex responds at once, except that some versions never respond for a turn that has just ended. */
const INTERRUPT_TIMEOUT_MS = 3_000;
const RETRY_INTERRUPT_MS = 5;

/** Ends turns and their commands. */
export class TurnStopper {
  readonly #options: TurnStopperOptions;

  constructor(options: TurnStopperOptions) {
    this.#options = options;
  }

  async interrupt({ sessionId, turnId }: TurnRef, signal: AbortSignal): Promise<void> {
    const agents = this.#options.subAgents.threadsOf(sessionId);
    const interrupting = agents.map((agent) => this.#interruptThread(agent, undefined, signal));
    await Promise.all([this.#interruptThread(sessionId, turnId, signal), ...interrupting]);
  }

  async stopCommands(sessionId: string): Promise<void> {
    await this.#stopAgents(sessionId);
    const threads = [sessionId, ...this.#options.subAgents.threadsOf(sessionId)];
    await Promise.all(threads.map((threadId) => this.#stopThread(threadId, sessionId)));
  }

  async #interruptThread(threadId: string, turnId: string | undefined, signal: AbortSignal): Promise<void> {
    // Between the response to `turn/start` and `turn/started`, Codex rejects the interrupt of a turn that is already
    // running.
    while (!signal.aborted) {
      const named = this.#options.threads.runningTurnOf(threadId) ?? turnId;
      if (named === undefined) return;
      const interrupting = this.#options.client.requestForSession(
        threadId,
        'turn/interrupt',
        { turnId: named },
        INTERRUPT_TIMEOUT_MS,
      );
      try {
        return void (await Promise.race([interrupting, waitForAbort(signal)]));
      } catch (error) {
        if (!isNoActiveTurn(error)) return this.#options.log.debug(`turn/interrupt: ${messageOf(error)}`);
      }
      await delay(RETRY_INTERRUPT_MS);
    }
  }

  /** Stops agents first: they keep running after the turn that started them, and could start more commands. */
  async #stopAgents(sessionId: string): Promise<void> {
    const { subAgents, threads } = this.#options;
    const signal = AbortSignal.timeout(INTERRUPT_TIMEOUT_MS);
    const isWorking = (agent: string) => threads.runningTurnOf(agent) !== undefined;
    const working = () => subAgents.threadsOf(sessionId).filter(isWorking);
    while (working().length > 0) {
      if (signal.aborted) throw new AppError('REQUEST_FAILED', 'the agents of the session did not stop');
      await Promise.all(working().map((agent) => this.#interruptThread(agent, undefined, signal)));
      // Codex reports the end of their turns after its response to the interrupt.
      await delay(RETRY_INTERRUPT_MS);
    }
  }

  async #stopThread(threadId: string, sessionId: string): Promise<void> {
    const { client, threads } = this.#options;
    const { connection } = client;
    if (connection === undefined || threads.find(sessionId) === undefined) return;
    try {
      await client.requestForSession(threadId, 'thread/backgroundTerminals/clean', {}, INTERRUPT_TIMEOUT_MS);
      threads.clearCommands(threadId);
      // Codex ends the process group of a command. A process that left the group still has the session id in its
      // environment.
      return await killMarkedProcesses([connection.mark, `CODEX_THREAD_ID=${threadId}`]);
    } catch (error) {
      if (!isUnknownMethod(error)) throw error;
    }
    // An old Codex cannot end the commands of one session. They end with Codex itself, if no other turn is running.
    if (threads.hasRunningTurns)
      throw new AppError('REQUEST_FAILED', 'this Codex cannot stop the commands of one session while others run');
    threads.clear();
    await client.stop();
  }
}

/** Resolves when the signal aborts. In a race, the abandoned request may then reject without effect. */
export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
