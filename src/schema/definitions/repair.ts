import { type Changes, type MemberLocation, removeMember, removeNodes } from '../json/json-changes.ts';
import type { Outline } from '../json/outline.ts';
import { addSchema, repairInputSchema, repairOutputSchema } from './repair-schema.ts';
import type { ListShape, ObjectShape, Shape } from './shape.ts';

/**
 * Removes what the official clients would reject, as little as possible, and reports it. Because of one tool that they
 * reject, the clients lose the whole list.
 */
export function repairObject(changes: Changes, place: ObjectLocation, shape: ObjectShape): void {
  const { outline, node, prefix } = place;
  for (const [key, inner] of shape.members) {
    const member = outline.find(node, key);
    if (member === undefined) {
      if (inner.kind === 'inputSchema') addSchema(changes, node, key);
      continue;
    }
    repairMember(changes, { outline, parent: node, key, node: member, path: prefix + key }, inner);
  }
}

interface ObjectLocation {
  readonly outline: Outline;
  readonly node: number;
  /** Prefix of the names of its members. */
  readonly prefix: string;
}

function repairMember(changes: Changes, place: MemberLocation, shape: Shape): void {
  const { outline, node, path } = place;
  switch (shape.kind) {
    case 'text':
      if (!outline.isString(node)) removeMember(changes, place, 'text');
      break;
    case 'flag':
      if (!outline.isBoolean(node)) removeMember(changes, place, 'true or false');
      break;
    case 'value':
      if (!shape.isValid(outline.value(node))) removeMember(changes, place, shape.expected);
      break;
    case 'object':
      if (outline.isObject(node)) repairObject(changes, { outline, node, prefix: `${path}.` }, shape);
      else removeMember(changes, place, 'an object');
      break;
    case 'list':
      if (outline.isList(node)) repairElements(changes, place, shape);
      else removeMember(changes, place, 'a list');
      break;
    case 'inputSchema':
      repairInputSchema(changes, place);
      break;
    case 'outputSchema':
      repairOutputSchema(changes, place);
  }
}

function repairElements(
  changes: Changes,
  { outline, node, path }: MemberLocation,
  { of, requiredMember }: ListShape,
): void {
  for (const [index, element] of outline.children(node).entries()) {
    const needed = outline.find(element, requiredMember);
    if (outline.isObject(element) && needed !== undefined && outline.isString(needed)) {
      repairObject(changes, { outline, node: element, prefix: `${path}[${index}].` }, of);
      continue;
    }
    removeNodes(changes, node, [element]);
    changes.repairs.push(`${path}[${index}] had no ${requiredMember} and is left out`);
  }
}
