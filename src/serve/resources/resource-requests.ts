import { AppError } from '../../base/errors.ts';
import type { JsonObject } from '../../wire/messages.ts';
import { CallContext, type CallLink } from '../context.ts';
import type { Resource } from '../protocol.ts';
import type { Server } from '../server.ts';
import { toContents } from './resource-contents.ts';
import type { DefinedResource, ResourceContext } from './resource-definition.ts';
import { isNotFound, requireUri } from './resource-uri.ts';
import { readVariables } from './template-variables.ts';

export async function listResources(server: Server, link: CallLink): Promise<JsonObject> {
  const context = new CallContext(link);
  const resources: Resource[] = [];
  for (const { listed, list } of definedResources(server)) {
    if ('uri' in listed) resources.push(listed);
    else if (list !== undefined) resources.push(...(await list(context)));
  }
  return { resources };
}

export function listTemplates(server: Server): JsonObject {
  const resourceTemplates = definedResources(server)
    .map(({ listed }) => listed)
    .filter((listed) => 'uriTemplate' in listed);
  return { resourceTemplates };
}

/** Errors about a missing resource contain the URI in the data, where clients look for it. */
export async function readResource(server: Server, link: CallLink): Promise<JsonObject> {
  const uri = requireUri(link.request.method, link.request.params);
  const notFound = () => new AppError('RESOURCE_NOT_FOUND', `There is no resource ${uri}.`, { data: { uri } });
  const found = findResource(server, uri);
  if (found === undefined) throw notFound();
  try {
    const returned = await found.resource.read(found.variables, new ReadContext(link, uri));
    if (returned === undefined || returned === null) throw notFound();
    return toContents(returned, { uri, mimeType: found.resource.listed.mimeType });
  } catch (error) {
    if (!isNotFound(error) || error.data?.['uri'] !== undefined) throw error;
    throw new AppError('RESOURCE_NOT_FOUND', error.message, { cause: error, data: { ...error.data, uri } });
  }
}

class ReadContext extends CallContext implements ResourceContext {
  readonly uri: string;

  constructor(link: CallLink, uri: string) {
    super(link);
    this.uri = uri;
  }
}

/** Finds the resource with exactly this URI, else the first template that matches it. */
function findResource(
  server: Server,
  uri: string,
): { readonly resource: DefinedResource; readonly variables: Readonly<Record<string, string>> } | undefined {
  for (const resource of definedResources(server))
    if ('uri' in resource.listed && resource.listed.uri === uri) return { resource, variables: {} };
  for (const resource of definedResources(server)) {
    const variables = 'uriTemplate' in resource.listed ? readVariables(uri, resource.listed.uriTemplate) : undefined;
    if (variables !== undefined) return { resource, variables };
  }
  return undefined;
}

function definedResources({ resources }: Server): readonly DefinedResource[] {
  return [...(resources?.values() ?? [])];
}
