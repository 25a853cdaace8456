/**
 * Returns the id of the legacy request for an input request of a modern server. It ends with the server's key, so that
 * a modern client gets the same key.
 */
export function toInputId(callId: number, count: number, key: string): string {
  return `input-${callId}-${count}:${key}`;
}

/** Returns the key in such an id. Undefined for the ids of all other requests. */
export function inputKeyOf(id: unknown): string | undefined {
  return typeof id === 'string' ? INPUT_ID.exec(id)?.[1] : undefined;
}

const INPUT_ID = /^input-\d+-\d+:(.*)$/s;
