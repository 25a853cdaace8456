import { createDeferred } from '../../../base/deferred.ts';
import { messageOf } from '../../../base/errors.ts';
import { describeExit } from '../../../base/process/describe-exit.ts';
import type { HttpFront } from '../../../serve/fronts/http/open-http-front.ts';
import { passBack } from '../../../serve/fronts/http/passed-connections.ts';
import {
  type PlannedRestartOptions,
  type PlannedRestarts,
  RESTART_SIGNAL,
  type Retirement,
} from './planned-restarts.ts';
import { type Successor, startSuccessor } from './successor.ts';

/** The first process of a server. It serves until the first restart, and listens until the end. */
export function openListeningProcess({ refusal, report }: Omit<PlannedRestartOptions, 'env'>): PlannedRestarts {
  const retired = createDeferred<Retirement>();
  const finished = createDeferred();
  let front: HttpFront | undefined;
  /** The process that serves. Undefined while this one does. */
  let current: Successor | undefined;
  /** The process that gets the connections. During a restart, it gets them before it serves. */
  let target: Successor | undefined;
  /** Every process that was started and may be running. */
  const started = new Set<Successor>();
  let isStopping = false;

  const restart = async (served: HttpFront) => {
    const { successor, ready } = startSuccessor((connection) => {
      // A process that hands over passes its connections on to the next one.
      passBack(connection, (take) => target?.pass(take));
    });
    watch(successor);
    await ready;
    target = successor;
    if (current === undefined) await served.handOver((take) => target?.pass(take));
    else {
      // Connections that are on their way to that process must arrive before the request to hand over.
      await current.passed();
      await current.handOver();
    }
    current = successor;
    successor.continue();
    retired.resolve({ isUrgent: false });
    report(`Restarted. Process ${successor.pid} serves the clients now.`);
  };

  const watch = (successor: Successor) => {
    started.add(successor);
    void successor.exited.then((exit) => {
      started.delete(successor);
      if (successor !== current) return;
      if (!isStopping) report(`Process ${successor.pid}, which served the clients, ${describeExit(exit)}.`);
      process.exitCode ??= exit.code ?? FAILED;
      finished.resolve();
    });
  };

  let isRestarting = false;
  process.on(RESTART_SIGNAL, () => {
    const problem = refusal ?? (front === undefined ? 'It is still starting.' : undefined);
    if (isStopping || isRestarting) return;
    if (problem !== undefined || front === undefined) return report(`This server cannot be restarted now. ${problem}`);
    isRestarting = true;
    restart(front)
      .catch((error: unknown) => report(`The restart failed, and nothing has changed. ${messageOf(error)}`))
      .finally(() => {
        isRestarting = false;
      });
  });

  return {
    isSuccessor: false,
    serve(opened) {
      front = opened;
    },
    retired: retired.promise,
    stop(signal) {
      isStopping = true;
      for (const successor of started) successor.kill(signal);
    },
    async finish() {
      if (current === undefined) return;
      await current.passed();
      await finished.promise;
    },
  };
}

const FAILED = 1;
