import { isObject } from '../../../wire/messages.ts';

type Members = Readonly<Record<string, unknown>>;

/** A message, and the notification that it came from. */
export interface Told {
  readonly about: Members;
  readonly message: Members;
}

/**
 * App-server tells of a command before it asks whether it may run; the old server told of it once it ran, and never of one
 * that was refused. So the beginning of a command that has no process yet is kept back.
 */
export interface HeldCommands {
  /** What is to be told now, in order. */
  pass(method: string, params: Members, messages: readonly Members[]): readonly Told[];
  /** It may run. */
  release(itemId: string | undefined): readonly Told[];
}

export function createHeldCommands(): HeldCommands {
  const held = new Map<string, readonly Told[]>();

  const release = (itemId: string | undefined): readonly Told[] => {
    if (itemId === undefined) return [];
    const told = held.get(itemId) ?? [];
    held.delete(itemId);
    return told;
  };

  return {
    release,
    pass(method, params, messages) {
      const told = messages.map((message) => ({ about: params, message }));
      const item = isObject(params['item']) ? params['item'] : {};
      const itemId = String(item['id'] ?? params['itemId']);
      if (method === 'item/started' && isWaiting(item)) {
        held.set(itemId, told);
        return [];
      }
      if (method === 'turn/completed') held.clear();
      if (!held.has(itemId)) return told;
      const began = release(itemId);
      return item['status'] === 'declined' ? [] : [...began, ...told];
    },
  };
}

function isWaiting({ type, processId }: Members): boolean {
  return type === 'commandExecution' && (processId === null || processId === undefined);
}
