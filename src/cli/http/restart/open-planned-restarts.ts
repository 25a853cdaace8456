import { openListeningProcess } from './listening-process.ts';
import type { PlannedRestartOptions, PlannedRestarts } from './planned-restarts.ts';
import { openServingProcess } from './serving-process.ts';
import { SUCCESSOR_VARIABLE } from './successor.ts';

/**
 * Prepares this process for restarts: as the listening process, or as a child that the listening process has started.
 */
export function openPlannedRestarts(options: PlannedRestartOptions): PlannedRestarts {
  // Another parent may also start this process with an IPC channel, but does not set the variable.
  const isSuccessor = options.env[SUCCESSOR_VARIABLE] === '1' && process.connected === true;
  return isSuccessor ? openServingProcess() : openListeningProcess(options);
}
