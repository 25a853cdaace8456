import { setBounded } from '../../../../base/set-bounded.ts';
import { isObject, type JsonObject } from '../../../../wire/messages.ts';
import type { EngineEvent, TurnEnd } from '../../../engine.ts';
import type { FileChange, Item } from '../../../item-types.ts';
import { summarizePlan } from '../../../text/item-summaries.ts';
import { rateLimitReset, toTurnFailure } from './failures.ts';
import { toItem, toPlan } from './items.ts';
import { createUsageMeter } from './usage-meter.ts';

/** Converts the notifications of one app-server to events. */
export interface EventReader {
  read(method: string, params: JsonObject): readonly EngineEvent[];
  /** Returns the files of a change that is still in progress. */
  filesOf(itemId: string): readonly FileChange[];
}

/** The maximum number of changes in progress. The approval request of an older one has no diff. */
const MAX_OPEN_CHANGES = 1000;

/** Creates a reader. See `createUsageMeter` for `isOld`. */
export function createEventReader(isOld?: () => boolean): EventReader {
  const openChanges = new Map<string, readonly FileChange[]>();
  const usage = createUsageMeter(isOld);
  let rateLimits: unknown;

  const trackOpenChange = ({ id, files, status }: Item) => {
    if (files === undefined) return;
    if (status !== 'started') return void openChanges.delete(id);
    setBounded(openChanges, id, files, MAX_OPEN_CHANGES);
  };

  const toItemEvents = (params: JsonObject, isOver: boolean): readonly EngineEvent[] => {
    const item = toItem(params['item'], isOver);
    if (item === undefined) return [];
    usage.workStarted(String(params['threadId']));
    trackOpenChange(item);
    return [{ kind: 'item', turnId: String(params['turnId']), item }];
  };

  return {
    filesOf: (itemId) => openChanges.get(itemId) ?? [],
    read(method, params) {
      switch (method) {
        case 'turn/started':
          usage.turnStarted(String(params['threadId']));
          return [{ kind: 'turn-started', turnId: turnIdOf(params) }];
        case 'item/started':
          return toItemEvents(params, false);
        case 'item/completed':
          return toItemEvents(params, true);
        case 'turn/plan/updated':
          return [toPlanEvent(params)];
        case 'turn/diff/updated':
          return [{ kind: 'diff', turnId: String(params['turnId']), diff: String(params['diff'] ?? '') }];
        case 'thread/tokenUsage/updated':
          return usage.read(params);
        case 'error':
          return toErrorEvents(params);
        case 'warning':
          return [{ kind: 'warning', message: String(params['message'] ?? '') }];
        case 'turn/completed':
          usage.turnEnded(String(params['threadId']));
          return [
            { kind: 'turn-ended', turnId: turnIdOf(params), end: withReset(toTurnEnd(params['turn']), rateLimits) },
          ];
        case 'account/rateLimits/updated':
          rateLimits = params['rateLimits'];
          return [];
      }
      return [];
    },
  };
}

/** Returns the end of a turn from Codex's representation of the turn. */
export function toTurnEnd(turn: unknown): TurnEnd {
  const { status, error, items } = isObject(turn) ? turn : {};
  if (status === 'completed') return { status, lastMessage: lastMessage(items) };
  return status === 'interrupted' ? { status } : { status: 'failed', failure: toTurnFailure(error) };
}

/** Adds the reset time from the last reported rate limits: Codex's message has it only as text for people. */
function withReset(end: TurnEnd, limits: unknown): TurnEnd {
  if (end.status !== 'failed' || end.failure.kind !== 'usage_limit' || end.failure.resetsAt !== undefined) return end;
  const resetsAt = rateLimitReset(limits);
  return resetsAt === undefined ? end : { ...end, failure: { ...end.failure, resetsAt } };
}

function lastMessage(items: unknown): string | undefined {
  if (!Array.isArray(items)) return undefined;
  return items.map((item) => toItem(item, true)?.text).findLast((text) => text !== undefined);
}

function toPlanEvent(params: JsonObject): EngineEvent {
  const turnId = String(params['turnId']);
  const plan = toPlan(params['plan']);
  const item: Item = {
    id: `plan-${turnId}`,
    type: 'todo_list',
    status: plan.every(({ status }) => status === 'completed') ? 'completed' : 'in_progress',
    summary: summarizePlan(plan),
    plan,
  };
  return { kind: 'item', turnId, item };
}

/** Reports an error only if Codex retries. Otherwise the end of the turn reports it. */
function toErrorEvents({ error, willRetry }: JsonObject): readonly EngineEvent[] {
  if (willRetry !== true) return [];
  const { message } = toTurnFailure(error);
  // The message has the attempt ("Reconnecting... 2/5"); the reason is in a separate field.
  const reason = isObject(error) ? error['additionalDetails'] : undefined;
  return [
    { kind: 'retrying', message: typeof reason === 'string' && reason !== '' ? `${message}: ${reason}` : message },
  ];
}

function turnIdOf({ turn, turnId }: JsonObject): string {
  return String(isObject(turn) ? turn['id'] : turnId);
}
