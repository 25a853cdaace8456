import { oneLine } from '../../../base/text/safe-text.ts';
import { visible } from '../../../base/text/visible-text.ts';
import type { Ignored } from '../../../control/socket/running-instances.ts';
import type { Asked, Failed } from './query.ts';

/** A status, ready to be shown in every way. */
export interface Picture {
  /** All of it, for a program. It changes when something has changed, and not because time has passed. */
  readonly document: Readonly<Record<string, unknown>>;
  /** For a person. Where there is a terminal, tables fit its width. */
  lines(width: number | undefined, now: number): readonly string[];
  /** What is wrong with the looking itself. */
  readonly complaints: readonly string[];
  /** False when a file that should tell of servers cannot be read. */
  readonly isWhole: boolean;
}

/** Whoever did not answer is named, and so is what nobody should listen to. */
export function complaintsOf({ failed, ignored }: Pick<Asked<unknown>, 'failed' | 'ignored'>): readonly string[] {
  return [...failed.map(failedWords), ...ignored.map(ignoredWords)];
}

/** Said when nobody answers and files are all there is. */
export function onlyConfigured({ failed }: Pick<Asked<unknown>, 'failed'>): string {
  const head = failed.some(isHanging) ? 'nothing that runs here answers' : 'no switchboard is running here';
  return `${head}; this is what is configured`;
}

/** It is there, and does not answer; others that failed have ended. */
export function isHanging({ code }: Failed): boolean {
  return code !== 'UNREACHABLE' && code !== 'CONNECTION_CLOSED';
}

/** Every message of this kind begins with its process. */
export function failedWords({ message }: Failed): string {
  return oneLine(message);
}

function ignoredWords({ place, why }: Ignored): string {
  return `Ignored ${visible(place)}: ${oneLine(why)}`;
}
