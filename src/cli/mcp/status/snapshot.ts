import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { IgnoredSocket } from '../../../control/socket/running-instances.ts';
import type { QueryFailure, QueryResult } from './query.ts';

/** A status, ready to be shown in every way. */
export interface StatusSnapshot {
  /** All of it, for a program. It changes when something has changed, and not because time has passed. */
  readonly document: Readonly<Record<string, unknown>>;
  /** For a person. Where there is a terminal, tables fit its width. */
  lines(width: number | undefined, now: number): readonly string[];
  /** What is wrong with the looking itself. */
  readonly warnings: readonly string[];
  /** False when a file that should tell of servers cannot be read. */
  readonly isComplete: boolean;
}

/** Whoever did not answer is named, and so is what nobody should listen to. */
export function warningsOf({ failed, ignored }: Pick<QueryResult<unknown>, 'failed' | 'ignored'>): readonly string[] {
  return [...failed.map(queryFailureText), ...ignored.map(ignoredText)];
}

/** Said when nobody answers and files are all there is. */
export function notRunningNote({ failed }: Pick<QueryResult<unknown>, 'failed'>): string {
  const head = failed.some(isUnresponsive) ? 'nothing that runs here answers' : 'no switchboard is running here';
  return `${head}; this is what is configured`;
}

/** It is there, and does not answer; others that failed have ended. */
export function isUnresponsive({ code }: QueryFailure): boolean {
  return code !== 'UNREACHABLE' && code !== 'CONNECTION_CLOSED';
}

/** Every message of this kind begins with its process. */
export function queryFailureText({ message }: QueryFailure): string {
  return oneLine(message);
}

function ignoredText({ place, why }: IgnoredSocket): string {
  return `Ignored ${escapeInvisible(place)}: ${oneLine(why)}`;
}
