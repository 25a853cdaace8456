import { isObject } from '../../../wire/messages.ts';

/** Converts `inProgress` to `in_progress`, as in the old events. */
export function toSnake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Converts `commandExecution` to `CommandExecution`, as in the item types of the old events. */
export function toPascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Converts a name, or all member names of a value, recursively. */
export function snakeNames(value: unknown): unknown {
  if (typeof value === 'string') return toSnake(value);
  return snakeMembers(value);
}

/** Converts all member names recursively. Other values stay unchanged. */
export function snakeMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeMembers);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [toSnake(name), snakeMembers(member)]));
}
