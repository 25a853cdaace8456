import { isObject } from '../../../wire/messages.ts';

/** `inProgress` as the old events wrote it: `in_progress`. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** `commandExecution` as the old events wrote the type of an item: `CommandExecution`. */
export function toPascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** A name, or members under their names, with all the members inside. */
export function snakeNames(value: unknown): unknown {
  if (typeof value === 'string') return toSnake(value);
  return snakeMembers(value);
}

/** The members under the old names; their values stay as they are. */
export function snakeMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeMembers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toSnake(name), snakeMembers(member)]));
}
