import { AppError } from '../../base/errors.ts';
import { isObject, toJson } from '../../wire/messages.ts';
import type { Completers } from '../completion/completer.ts';
import type { ToolContext } from '../context.ts';
import type { Resource, ResourceContents, ResourceTemplate } from '../protocol.ts';

export type ResourceDefinition = Omit<Resource, 'uri'>;

/** Returns text, bytes, complete contents, or any value that can be written as JSON. Undefined: there is none. */
export type ResourceReader = (context: ResourceContext) => ResourceReturned | PromiseLike<ResourceReturned>;

export interface ResourceTemplateDefinition<Template extends string = string>
  extends Omit<ResourceTemplate, 'uriTemplate'> {
  /** The resources of this template to list. Default: none, so that clients must know their URIs. */
  readonly list?: (context: ToolContext) => readonly Resource[] | PromiseLike<readonly Resource[]>;
  /** The values that a client may suggest for a variable. */
  readonly complete?: Completers<keyof TemplateVariables<Template> & string>;
}

export type ResourceTemplateReader<Template extends string = string> = (
  variables: TemplateVariables<Template>,
  context: ResourceContext,
) => ResourceReturned | PromiseLike<ResourceReturned>;

type ResourceReturned = string | Uint8Array | ResourceContents | object | undefined;

/** The context of a request for a resource. */
export interface ResourceContext extends ToolContext {
  /** The URI that the client reads. */
  readonly uri: string;
}

/** The variables of a URI template: `note://{id}{?page}` has `id`, and `page` if the URI contains it. */
type TemplateVariables<Template extends string> = string extends Template
  ? Readonly<Record<string, string>>
  : Readonly<Variables<Template>>;

type Variables<Template> = Template extends `${string}{${infer Expression}}${infer Rest}`
  ? Named<Expression> & Variables<Rest>
  : unknown;

type Named<Expression> = Expression extends `${Optional}${infer Names}`
  ? { readonly [Name in NamesIn<Names>]?: string }
  : Expression extends `+${infer Names}`
    ? { readonly [Name in NamesIn<Names>]: string }
    : { readonly [Name in NamesIn<Expression>]: string };

/** The operators of expressions that may be missing from a URI. */
type Optional = '?' | '&' | '#' | '/' | '.' | ';';

type NamesIn<Names> = Names extends `${infer First},${infer Rest}`
  ? NamesIn<First> | NamesIn<Rest>
  : Names extends `${infer Name}*` | `${infer Name}:${number}`
    ? Name
    : Names & string;

/** A resource, or a template for many, with everything needed to list and read it. */
export interface DefinedResource {
  /** As listed, with `uri` or `uriTemplate`. */
  readonly listed: Resource | ResourceTemplate;
  readonly list: ResourceTemplateDefinition['list'];
  readonly complete: Completers;
  /** A resource that is not a template has no variables. */
  readonly read: (variables: Readonly<Record<string, string>>, context: ResourceContext) => unknown;
}

/** Validates a definition, so that mistakes surface here and not at the first request. */
export function defineResource(uri: string, definition: ResourceDefinition, read: unknown): DefinedResource {
  checkDefinition(`The resource ${JSON.stringify(uri)}`, definition, read);
  if (!URL.canParse(uri))
    throw new AppError('TOOL_INVALID', `The resource ${JSON.stringify(uri)} needs a URI, such as note://today.`);
  const reader = read as ResourceReader;
  const listed = { uri, ...definition };
  return { listed, list: undefined, complete: {}, read: (_, context) => reader(context) };
}

export function defineTemplate(
  uriTemplate: string,
  definition: ResourceTemplateDefinition,
  read: unknown,
): DefinedResource {
  checkDefinition(`The resource template ${JSON.stringify(uriTemplate)}`, definition, read);
  if (typeof uriTemplate !== 'string' || !TEMPLATE.test(uriTemplate))
    throw new AppError(
      'TOOL_INVALID',
      `The resource template ${JSON.stringify(uriTemplate)} needs a URI with variables, such as note://{id}.`,
    );
  const { list, complete = {}, ...rest } = definition;
  return { listed: { uriTemplate, ...rest }, list, complete, read: read as DefinedResource['read'] };
}

/** Literals and at least one expression of RFC 6570. */
const TEMPLATE = /^[^{}]*(?:\{[+#./;?&]?[\w%.]+(?::\d+|\*)?(?:,[\w%.]+(?::\d+|\*)?)*\}[^{}]*)+$/;

/** Throws for mistakes that the types would catch, for callers in JavaScript. */
function checkDefinition(what: string, definition: unknown, read: unknown): void {
  const mistake = findMistake(definition, read);
  if (mistake !== undefined) throw new AppError('TOOL_INVALID', `${what} ${mistake}`);
}

function findMistake(definition: unknown, read: unknown): string | undefined {
  if (!isObject(definition) || typeof definition['name'] !== 'string') return 'needs a definition with a name.';
  if (typeof read !== 'function') return 'needs a function that reads it.';
  if (toJson(definition) === undefined) return 'cannot be listed: it cannot be written as JSON.';
  return undefined;
}
