import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from '../../wire/json/json-bytes.ts';
import { skipSpace } from '../../wire/json/scan.ts';
import { Outline } from '../json/outline.ts';
import { type Definition, displayName, type Quarantined, quarantine, toDefinition } from './definition.ts';
import { type DefinitionKind, KINDS } from './definition-kinds.ts';

/** A server's whole list of one kind: the usable definitions, and reports about the rest. */
export interface DefinitionList {
  readonly items: readonly Definition[];
  readonly quarantined: readonly Pick<Quarantined, 'name' | 'reason'>[];
  readonly repairs: readonly { readonly name: string; readonly repair: string }[];
}

/**
 * Reads the pages of a list, each the bytes of a JSON array. Only for bytes that `scanMembers` or `JSON.parse`
 * accepted, because the definitions are forwarded as they are. One bad element never affects another. Of two with the
 * same key, the first is kept. Elements beyond the limit are only counted.
 */
export function readDefinitionList(kind: DefinitionKind, pages: readonly Buffer[]): DefinitionList {
  const { key, label } = KINDS[kind];
  const items = new Map<string, Definition>();
  const quarantined: DefinitionList['quarantined'][number][] = [];
  const refuse = ({ name, reason }: Quarantined) => quarantined.push({ name, reason });
  let count = 0;
  for (const page of pages) {
    for (const outline of eachElement(page)) {
      if (++count > MAX_ITEMS) continue;
      const read = toDefinition(kind, outline);
      if (read.kind === 'quarantined') refuse(read);
      else if (items.has(read.key)) refuse(quarantine(read.key, `another ${label} has the same ${key}`));
      else items.set(read.key, read);
    }
  }
  if (count > MAX_ITEMS) {
    refuse(quarantine(undefined, `${count - MAX_ITEMS} more: a server may list ${MAX_ITEMS} ${label}s`));
  }
  const found = [...items.values()];
  return { items: found, quarantined, repairs: found.flatMap(repairsOf) };
}

export const MAX_ITEMS = 10_000;

function* eachElement(page: Buffer): Generator<Outline> {
  const outline = new Outline(page);
  const open = skipSpace(page, 0);
  if (page[open] !== OPEN_BRACKET) return;
  for (let at = skipSpace(page, open + 1); page[at] !== CLOSE_BRACKET; ) {
    const end = outline.read(at);
    if (end === at) return;
    yield outline;
    at = skipSpace(page, end);
    if (page[at] === COMMA) at = skipSpace(page, at + 1);
  }
}

function repairsOf({ key, repairs }: Definition): DefinitionList['repairs'] {
  const name = displayName(key);
  return repairs.map((repair) => ({ name, repair }));
}
