import { oneLine } from '../../base/text/safe-text.ts';
import { type Changes, type MemberLocation, removeMember } from '../json/json-changes.ts';
import type { Outline } from '../json/outline.ts';

/** Adds an input schema to a tool that has none. */
export function addSchema(changes: Changes, parent: number, key: string): void {
  changes.added.set(parent, `${JSON.stringify(key)}:${ANY_OBJECT}`);
  changes.repairs.push(`${key} was missing; any arguments are accepted`);
}

const ANY_OBJECT = '{"type":"object"}';

/**
 * Repairs an input schema. The arguments of a call are always an object, so a schema of another type is a mistake of
 * its author, and the tool is kept: the type becomes "object", the rest stays. Checks only the root: nested schemas may
 * contain anything, and a `$ref` is never followed.
 */
export function repairInputSchema(changes: Changes, place: MemberLocation): void {
  const { outline, node, path } = place;
  if (outline.isObject(node)) {
    repairTop(changes, place);
    return;
  }
  changes.replaced.set(node, ANY_OBJECT);
  changes.repairs.push(`${path} was not an object; any arguments are accepted`);
}

/** Repairs an output schema. It is optional, so one of a kind that few clients understand is left out. */
export function repairOutputSchema(changes: Changes, place: MemberLocation): void {
  const { outline, node } = place;
  if (!outline.isObject(node)) removeMember(changes, place, 'an object');
  else if (outline.find(node, 'type') !== undefined && !isOfObjects(outline, node)) {
    removeMember(changes, place, 'a schema of objects');
  } else repairTop(changes, place);
}

function isOfObjects(outline: Outline, schema: number): boolean {
  const type = outline.find(schema, 'type');
  return type !== undefined && outline.equalsText(type, 'object');
}

function repairTop(changes: Changes, place: MemberLocation): void {
  const { outline, node, path } = place;
  if (!isOfObjects(outline, node)) repairType(changes, place);
  for (const { key, expected, isValid } of FIELDS) {
    const member = outline.find(node, key);
    if (member === undefined || isValid(outline, member)) continue;
    removeMember(changes, { outline, parent: node, key, node: member, path: `${path}.${key}` }, expected);
  }
  repairProperties(changes, place);
}

function repairType(changes: Changes, { outline, node, path }: MemberLocation): void {
  const types = outline.findAll(node, 'type');
  if (types.length === 0) {
    changes.added.set(node, '"type":"object"');
    changes.repairs.push(`${path} had no type and was given "object"`);
    return;
  }
  for (const type of types) changes.replaced.set(type, '"object"');
  changes.repairs.push(`${path}.type was not "object" and is now`);
}

/** Members that the official clients check; without them, the schema only accepts more. */
const FIELDS: readonly Field[] = [
  { key: '$schema', expected: 'text', isValid: (outline, node) => outline.isString(node) },
  { key: 'properties', expected: 'an object', isValid: (outline, node) => outline.isObject(node) },
  { key: 'required', expected: 'a list of names', isValid: isListOfNames },
];

interface Field {
  readonly key: string;
  readonly expected: string;
  readonly isValid: (outline: Outline, node: number) => boolean;
}

function isListOfNames(outline: Outline, node: number): boolean {
  return outline.isList(node) && outline.children(node).every((name) => outline.isString(name));
}

/**
 * Replaces properties that are not objects. JSON Schema allows true or false; this protocol allows only an object with
 * the same meaning.
 */
function repairProperties(changes: Changes, { outline, node, path }: MemberLocation): void {
  const properties = outline.find(node, 'properties');
  if (properties === undefined || !outline.isObject(properties)) return;
  for (const property of outline.children(properties)) {
    if (outline.isObject(property)) continue;
    changes.replaced.set(property, outline.value(property) === false ? '{"not":{}}' : '{}');
    changes.repairs.push(
      `${path}.properties.${oneLine(outline.key(property), MAX_DISPLAY_LENGTH)} was not an object and is now`,
    );
  }
}

const MAX_DISPLAY_LENGTH = 100;
