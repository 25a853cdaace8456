import { findMemberValues, type Member, readMembers } from '../../wire/json/json-text.ts';
import { mayHaveLoneSurrogates, wellFormedJson } from '../../wire/json/well-formed-json.ts';
import type { Definition } from '../definitions/definition.ts';
import { type Changes, createChanges, removeNodes, toEdits } from '../json/json-changes.ts';
import { Outline } from '../json/outline.ts';
import { writeEdited } from '../json/write-json.ts';
import { mayHaveLargeNumbers, removeLargeNumbers } from './large-numbers.ts';
import { reportLoneSurrogates } from './lone-surrogates.ts';
import type { Rewrite } from './profile.ts';

export interface RepairedTool {
  readonly definition: Definition;
  readonly rewrites: readonly Rewrite[];
}

/**
 * Removes everything from a tool that makes Codex lose the whole server, wherever it occurs: lone surrogates, numbers
 * that no double holds, and duplicate members. Undefined if there is none, which is nearly always and takes one quick
 * check. `members` are those of the tool.
 */
export function repairTool(definition: Definition, members: readonly Member[]): RepairedTool | undefined {
  const { json } = definition;
  if (!mayHaveLoneSurrogates(json) && !mayHaveLargeNumbers(json) && !mayHaveDuplicates(json, members)) return undefined;
  const outline = new Outline(Buffer.from(json));
  outline.read(0);
  const changes = createChanges();
  const rewrites = [
    ...removeDuplicates(changes, outline),
    ...removeLargeNumbers(changes, outline, SCHEMA).map((rewrite) => ({ ...rewrite, isNarrowing: false })),
    ...reportLoneSurrogates(json).map((rewrite) => ({ ...rewrite, path: rewrite.path.replace(IN_SCHEMA, '') })),
  ];
  if (rewrites.length === 0) return undefined;
  const repaired = wellFormedJson(writeEdited(outline, toEdits(outline, changes), []).json);
  return { definition: { ...definition, json: repaired, keySpans: findMemberValues(repaired, 'name') }, rewrites };
}

/** The profile itself handles numbers in this member. Paths inside it start at its root. */
const SCHEMA = 'inputSchema';
const IN_SCHEMA = /^inputSchema(?:\.|$)/;

/**
 * Checks only the objects that Codex reads member by member: elsewhere, it keeps the last of two. Icons are rare, so
 * the full check handles them.
 */
function mayHaveDuplicates(json: string, members: readonly Member[]): boolean {
  return (
    hasDuplicateKeys(members) ||
    members.some(
      ({ key, start }) => key === 'icons' || (key === 'annotations' && hasDuplicateKeys(readMembers(json, start))),
    )
  );
}

function hasDuplicateKeys(members: readonly Member[]): boolean {
  const keys = new Set<string>();
  for (const { key } of members) keys.add(key);
  return keys.size !== members.length;
}

function removeDuplicates(changes: Changes, outline: Outline): Rewrite[] {
  const rewrites: Rewrite[] = [];
  const keepLast = (node: number, prefix: string) => {
    const last = new Map(outline.children(node).map((member) => [outline.key(member), member]));
    for (const member of outline.children(node)) {
      const key = outline.key(member);
      if (last.get(key) === member) continue;
      removeNodes(changes, node, [member]);
      rewrites.push({ path: prefix + key, what: 'duplicate, the last one kept', why: SERVER_LOST, isNarrowing: false });
    }
  };
  keepLast(0, '');
  const annotations = outline.find(0, 'annotations');
  if (annotations !== undefined) keepLast(annotations, 'annotations.');
  const icons = outline.find(0, 'icons');
  for (const [index, icon] of (icons === undefined ? [] : outline.children(icons)).entries()) {
    keepLast(icon, `icons.${index}.`);
  }
  return rewrites;
}

const SERVER_LOST = 'Codex loses the whole server';
