import { openListeningProcess } from './listening-process.ts';
import type { PlannedRestartOptions, PlannedRestarts } from './planned-restarts.ts';
import { openServingProcess } from './serving-process.ts';
import { SUCCESSOR_VARIABLE } from './successor.ts';

/** Prepares this process for restarts: as the one that listens, or as one that such a process has started. */
export function openPlannedRestarts(options: PlannedRestartOptions): PlannedRestarts {
  // A program that starts this one with a channel of its own does not set the variable.
  const isSuccessor = options.env[SUCCESSOR_VARIABLE] === '1' && process.connected === true;
  return isSuccessor ? openServingProcess() : openListeningProcess(options);
}
