import { type Place, program } from './command-tree.ts';
import { type Answer, type Names, valuesOf } from './values.ts';

/** What may stand in the place of `current`, after these words. The first of them is the program itself. */
export function completeWord(before: readonly string[], current: string, names: Names): readonly Answer[] {
  const typed = before.length === 0 ? undefined : readTyped(before.slice(1));
  if (typed === undefined) return [];
  return possible(typed, current, names)
    .filter(({ word }) => word.startsWith(current))
    .slice(0, MAX_ANSWERS);
}

/** More than anybody reads. */
const MAX_ANSWERS = 1000;

interface Typed {
  readonly place: Place;
  /** Of this command and of those above it. */
  readonly options: readonly Option[];
  readonly given: ReadonlyMap<string, string>;
  /** The words of this command itself. */
  readonly words: readonly string[];
  /** An option whose value is missing yet. */
  readonly pending: Option | undefined;
}

interface Option {
  readonly name: string;
  /** What its value is; empty for a switch. */
  readonly value: string;
  readonly isRepeatable: boolean;
}

/** Undefined where we know nothing: after a command that does not exist, or in the line of another program. */
function readTyped(before: readonly string[]): Typed | undefined {
  let place = program;
  let options = optionsOf(program);
  const given = new Map<string, string>();
  const words: string[] = [];
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
    } else if (place.below === undefined) words.push(word);
    else {
      const next = Object.hasOwn(place.below, word) ? place.below[word] : undefined;
      if (next === undefined) return undefined;
      options = [...(place === program ? [] : options), ...optionsOf(next)];
      place = next;
    }
  }
  return { place, options, given, words, pending };
}

function optionsOf({ options = [] }: Place): readonly Option[] {
  return options.map((written) => {
    const [name = '', value = ''] = written.split(' ');
    return { name, value: withoutDots(value), isRepeatable: value.endsWith(MANY) };
  });
}

const MANY = '…';

function withoutDots(text: string): string {
  return text.endsWith(MANY) ? text.slice(0, -1) : text;
}

function possible(typed: Typed, current: string, names: Names): readonly Answer[] {
  const { place, options, given, words, pending } = typed;
  const context = { current, words, names, config: given.get('--config') };
  if (pending !== undefined) return valuesOf(pending.value, context);
  const [, name, inline = ''] = /^(--[^=]+)=(.*)$/s.exec(current) ?? [];
  if (name !== undefined) {
    const value = options.find((option) => option.name === name)?.value ?? '';
    const found = valuesOf(value, { ...context, current: inline });
    return found.map(({ word, about }) => ({ word: `${name}=${word}`, about }));
  }
  const free = options.filter((option) => option.isRepeatable || !given.has(option.name));
  const switches = free.map((option) => ({ word: option.name, about: option.value }));
  if (current.startsWith('-')) return switches;
  const found = place.below === undefined ? valuesOf(kindAt(place, words.length), context) : commandsOf(place.below);
  // With nothing to say about the word, an option is what can still follow.
  return found.length === 0 && current === '' ? switches : found;
}

function commandsOf(below: Readonly<Record<string, Place>>): readonly Answer[] {
  return Object.entries(below).map(([word, { summary }]) => ({ word, about: summary }));
}

/** What the word at this index is; the last may stand for all that follow. */
function kindAt({ words = [] }: Place, index: number): string {
  const last = words.at(-1) ?? '';
  return withoutDots(words[index] ?? (last.endsWith(MANY) ? last : ''));
}
