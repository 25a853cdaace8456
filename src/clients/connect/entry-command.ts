import { isObject } from '../../wire/messages.ts';
import type { CommandLine } from './targets.ts';

/** Reads `command` and `args`, or the list that opencode uses instead. */
export function readCommandLine(entry: unknown): CommandLine | undefined {
  if (!isObject(entry)) return undefined;
  const words = [entry['command'], entry['args'] ?? []].flat();
  const [command, ...args] = words.filter((word) => typeof word === 'string');
  return command === undefined ? undefined : { command, args };
}

/** Returns the name of a program without its folder and extension. */
export function baseName(command: string): string {
  return (command.split(/[/\\]/).at(-1) ?? '').replace(/\.(?:cmd|exe|ps1)$/i, '');
}
