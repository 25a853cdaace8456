import { createDeferred } from '../../../base/deferred.ts';
import type { PassedConnection } from '../../../serve/fronts/http/connections.ts';
import type { HttpFront } from '../../../serve/fronts/http/open-http-front.ts';
import { type PlannedRestarts, RESTART_SIGNAL, type Retirement } from './planned-restarts.ts';
import { openProcessChannel } from './process-channel.ts';

/** The serving process after a restart. Its parent is the listening process, which passes on the connections. */
export function openServingProcess(): PlannedRestarts {
  const retired = createDeferred<Retirement>();
  const held: PassedConnection[] = [];
  let front: HttpFront | undefined;
  let mayServe = false;

  const serveHeld = () => {
    if (mayServe) for (const connection of held.splice(0)) front?.accept(connection);
  };

  const handOver = async () => {
    await front?.handOver(channel.pass);
    channel.send('handed-over');
    retired.resolve({ isUrgent: false });
  };

  const channel = openProcessChannel(process, {
    receive(message) {
      if (message === 'continue') {
        mayServe = true;
        serveHeld();
      }
      if (message === 'hand-over') void handOver();
    },
    accept(connection) {
      held.push(connection);
      serveHeld();
    },
  });
  // If the listening process is killed, this one must exit too.
  process.once('disconnect', () => retired.resolve({ isUrgent: true }));
  process.on(RESTART_SIGNAL, () => process.kill(process.ppid, RESTART_SIGNAL));

  return {
    isSuccessor: true,
    serve(opened) {
      front = opened;
      channel.send('ready');
    },
    retired: retired.promise,
    stop() {},
    finish: () => channel.passed(),
  };
}
