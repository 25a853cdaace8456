import type { CommandSpec } from './command-spec.ts';
import { commandTree } from './command-tree.ts';
import { type Candidate, type NameSource, valuesOf } from './values.ts';

/** Returns the completions of `current` after these words. The first word is the program itself. */
export function completeWord(before: readonly string[], current: string, names: NameSource): readonly Candidate[] {
  const line = before.length === 0 ? undefined : parseLine(before.slice(1));
  if (line === undefined) return [];
  return candidatesFor(line, current, names)
    .filter(({ word }) => word.startsWith(current))
    .slice(0, MAX_CANDIDATES);
}

/** More than anybody reads. */
const MAX_CANDIDATES = 1000;

interface ParsedLine {
  readonly command: CommandSpec;
  /** Options of this command and of its parents. */
  readonly options: readonly Option[];
  readonly given: ReadonlyMap<string, string>;
  /** Positional arguments of this command. */
  readonly positionals: readonly string[];
  /** An option whose value is still missing. */
  readonly pending: Option | undefined;
}

interface Option {
  readonly name: string;
  /** Kind of the value; empty for a flag. */
  readonly value: string;
  readonly isRepeatable: boolean;
}

/** Returns undefined when nothing is known: after an unknown command, or in the command line of another program. */
function parseLine(before: readonly string[]): ParsedLine | undefined {
  let command = commandTree;
  let options = optionsOf(commandTree);
  const given = new Map<string, string>();
  const positionals: string[] = [];
  let pending: Option | undefined;
  for (const word of before) {
    if (word === '--') return undefined;
    const isOption = word.startsWith('-') && word !== '-' && pending?.name !== '--arg';
    if (isOption) {
      const [, name = word, inline] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
      given.set(name, inline ?? '');
      pending =
        inline === undefined ? options.find((option) => option.name === name && option.value !== '') : undefined;
    } else if (pending !== undefined) {
      given.set(pending.name, word);
      pending = undefined;
    } else if (command.subcommands === undefined) positionals.push(word);
    else {
      const next = Object.hasOwn(command.subcommands, word) ? command.subcommands[word] : undefined;
      if (next === undefined) return undefined;
      const isOwn = command === commandTree || next.isIndependent === true;
      options = [...(isOwn ? [] : options), ...optionsOf(next)];
      command = next;
    }
  }
  return { command, options, given, positionals, pending };
}

function optionsOf({ options = [] }: CommandSpec): readonly Option[] {
  return options.map((written) => {
    const [name = '', value = ''] = written.split(' ');
    return { name, value: withoutEllipsis(value), isRepeatable: value.endsWith(ELLIPSIS) };
  });
}

const ELLIPSIS = '…';

function withoutEllipsis(text: string): string {
  return text.endsWith(ELLIPSIS) ? text.slice(0, -1) : text;
}

function candidatesFor(line: ParsedLine, current: string, names: NameSource): readonly Candidate[] {
  const { command, options, given, positionals, pending } = line;
  const context = { current, positionals, names, config: given.get('--config') };
  if (pending !== undefined) return valuesOf(pending.value, context);
  const [, name, inline = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined) {
    const value = options.find((option) => option.name === name)?.value ?? '';
    const found = valuesOf(value, { ...context, current: inline });
    return found.map(({ word, description }) => ({ word: `${name}=${word}`, description }));
  }
  const free = options.filter((option) => option.isRepeatable || !given.has(option.name));
  const switches = free.map((option) => ({ word: option.name, description: option.value }));
  if (current.startsWith('-')) return switches;
  const found =
    command.subcommands === undefined
      ? valuesOf(kindAt(command, positionals.length), context)
      : commandsOf(command.subcommands);
  // Without candidates for an argument, only an option can follow.
  return found.length === 0 && current === '' ? switches : found;
}

function commandsOf(below: Readonly<Record<string, CommandSpec>>): readonly Candidate[] {
  return Object.entries(below).map(([word, { summary }]) => ({ word, description: summary }));
}

/** Returns the kind of the argument at this index; a last one with `…` also covers all that follow. */
function kindAt({ positionals = [] }: CommandSpec, index: number): string {
  const last = positionals.at(-1) ?? '';
  return withoutEllipsis(positionals[index] ?? (last.endsWith(ELLIPSIS) ? last : ''));
}
