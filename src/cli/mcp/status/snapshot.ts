import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { IgnoredSocket } from '../../../control/socket/running-instances.ts';
import type { Style } from '../../terminal/style.ts';
import type { QueryFailure, QueryResult } from './query.ts';

/** A status that can be shown as JSON or as text. */
export interface StatusSnapshot {
  /** Everything, for a program. Changes only when the status changes, not as time passes. */
  readonly document: Readonly<Record<string, unknown>>;
  /** Formats for a person. Tables fit the width of the terminal. Without a style, there are no colours or symbols. */
  lines(width: number | undefined, now: number, style?: Style): readonly string[];
  /** The same without known problems, for callers that show them separately. */
  readonly briefLines?: StatusSnapshot['lines'];
  /** Problems of the query itself. */
  readonly warnings: readonly string[];
  /** False when a config file is unreadable. */
  readonly isComplete: boolean;
  /** Ids of the servers that a running instance is connected to. */
  readonly connected?: ReadonlySet<string>;
}

/** Names the instances that did not respond and the sockets that were ignored. */
export function warningsOf({ failed, ignored }: Pick<QueryResult<unknown>, 'failed' | 'ignored'>): readonly string[] {
  return [...failed.map(queryFailureText), ...ignored.map(ignoredText)];
}

/** Note for a status that comes from files only, because no instance responds. */
export function notRunningNote({ failed }: Pick<QueryResult<unknown>, 'failed'>): string {
  const head = failed.some(isUnresponsive)
    ? 'no running Switchboard process responds'
    : 'Switchboard is not running here';
  return `${head}; showing the configuration`;
}

/** Whether the instance exists but does not respond; the other failures mean that it has exited. */
export function isUnresponsive({ code }: QueryFailure): boolean {
  return code !== 'UNREACHABLE' && code !== 'CONNECTION_CLOSED';
}

/** The message already begins with the process. */
export function queryFailureText({ message }: QueryFailure): string {
  return oneLine(message);
}

function ignoredText({ place, why }: IgnoredSocket): string {
  return `Ignored ${escapeInvisible(place)}: ${oneLine(why)}`;
}
