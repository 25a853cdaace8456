import { isObject } from '../../../wire/messages.ts';

type Members = Readonly<Record<string, unknown>>;

/** A message, and the notification that it came from. */
export interface LegacyEvent {
  readonly notification: Members;
  readonly message: Members;
}

/**
 * App-server tells of a command before it asks whether it may run; the old server told of it once it ran, and never of one
 * that was refused. So the beginning of a command that has no process yet is kept back.
 */
export interface HeldCommands {
  /** What is to be told now, in order. */
  pass(method: string, params: Members, messages: readonly Members[]): readonly LegacyEvent[];
  /** It may run. */
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

function awaitsApproval({ type, processId }: Members): boolean {
  return type === 'commandExecution' && (processId === null || processId === undefined);
}
