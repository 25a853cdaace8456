import { isObject, type JsonObject } from '../../../wire/messages.ts';

/** An event, and the notification that it was converted from. */
export interface LegacyEvent {
  readonly notification: JsonObject;
  readonly message: JsonObject;
}

/**
 * Delays the start of a command that has no process yet. The app-server reports a command before it requests approval.
 * The old server reported a command when it ran, and never one that was refused.
 */
export interface HeldCommands {
  /** Returns the events to send now, in order. */
  pass(method: string, params: JsonObject, messages: readonly JsonObject[]): readonly LegacyEvent[];
  /** Returns the delayed events of a command that may run now. */
  release(itemId: string | undefined): readonly LegacyEvent[];
}

export function createHeldCommands(): HeldCommands {
  const held = new Map<string, readonly LegacyEvent[]>();

  const release = (itemId: string | undefined): readonly LegacyEvent[] => {
    if (itemId === undefined) return [];
    const events = held.get(itemId) ?? [];
    held.delete(itemId);
    return events;
  };

  return {
    release,
    pass(method, params, messages) {
      const events = messages.map((message) => ({ notification: params, message }));
      const item = isObject(params['item']) ? params['item'] : {};
      const itemId = String(item['id'] ?? params['itemId']);
      if (method === 'item/started' && awaitsApproval(item)) {
        held.set(itemId, events);
        return [];
      }
      if (method === 'turn/completed') held.clear();
      if (!held.has(itemId)) return events;
      const startEvents = release(itemId);
      return item['status'] === 'declined' ? [] : [...startEvents, ...events];
    },
  };
}

function awaitsApproval({ type, processId }: JsonObject): boolean {
  return type === 'commandExecution' && (processId === null || processId === undefined);
}
