import type { ProcessExit } from './spawn.ts';

/** Describes how a process ended. The text continues a sentence about the process: "it was killed by SIGKILL". */
export function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `ended with exit code ${code}` : `was killed by ${signal}`;
}
