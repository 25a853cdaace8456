import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import type { JsonSchema, ToolCallResult } from '../protocol.ts';
import type { ServerOptions } from '../server.ts';
import { reportHandlerError } from './handler-error.ts';
import type { ToolCatalog } from './tool-catalog.ts';
import type { DefinedTool } from './tool-definition.ts';

/** Why a call was rejected. The text lets a model correct itself: it states what was wrong and what is allowed. */

export type Refusal =
  | { readonly kind: 'unknown-tool'; readonly name: string }
  | {
      readonly kind: 'bad-arguments';
      readonly tool: string;
      readonly problems: readonly string[];
      readonly arguments: unknown;
    };

/** Returns the result with the server's own text, or undefined if it provides none. */
export function customRefusal(server: ServerOptions, refusal: Refusal): ToolCallResult | undefined {
  if (server.refuse === undefined) return undefined;
  try {
    const text = server.refuse(refusal);
    return text === undefined ? undefined : { content: [{ type: 'text', text }], isError: true };
  } catch (error) {
    // The call is rejected either way.
    reportHandlerError(server, error, refusal.kind === 'unknown-tool' ? refusal.name : refusal.tool);
    return undefined;
  }
}

export function unknownToolError(name: string, catalog: ToolCatalog): AppError {
  const names = catalog.names();
  const listed = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
  const list = names.length === 0 ? 'This server has none.' : `This server has: ${listed}.`;
  return new AppError('TOOL_NOT_FOUND', `unknown tool: ${name}. ${list}`, { data: { tool: name } });
}

export function badArgumentsError(entry: DefinedTool, problems: readonly string[]): AppError {
  const { name, inputSchema } = entry.tool;
  const message = `Invalid arguments for tool "${name}": ${problems.map(withoutFullStop).join('; ')}. Allowed: ${describeAllowed(inputSchema)}.`;
  return new AppError('BAD_ARGUMENTS', message, { data: { tool: name, problems } });
}

const MAX_NAMES = 50;

function withoutFullStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function describeAllowed(schema: JsonSchema): string {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const members = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '' : '?'}: ${kindOf(member)}`,
  );
  return members.length === 0 ? 'see the input schema' : `{ ${members.join(', ')} }`;
}

function kindOf(schema: unknown): string {
  if (!isObject(schema)) return 'any';
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const { type } = schema;
  return Array.isArray(type) ? type.join(' | ') : typeof type === 'string' ? type : 'any';
}
