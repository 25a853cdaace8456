import { readElements, readMembers, type Span, valueEnd } from '../../wire/json/json-text.ts';
import { toPublicUri } from '../catalog/server-uri.ts';

/** Members that name a resource, in results and in the `_meta` of tools. */
const URI_MEMBERS: ReadonlySet<string> = new Set([
  'uri',
  'uriTemplate',
  'resourceUri',
  // Older forms of `_meta.ui.resourceUri`.
  'ui/resourceUri',
  'openai/outputTemplate',
]);

/** Members with data of the application, which the gateway never changes. */
const OPAQUE_MEMBERS: ReadonlySet<string> = new Set(['structuredContent', 'frontmatter', 'arguments', 'csp']);

/** No result of MCP is nested deeper outside of opaque members. */
const MAX_DEPTH = 24;

/**
 * Rewrites the URIs of the server in a JSON value that `JSON.parse` accepts, so that clients can request them from the
 * gateway. Every other character stays the same. Returns undefined if there is nothing to rewrite.
 */
export function rewriteUris(json: string, serverId: string): string | undefined {
  if (!mayNameResource(json)) return undefined;
  let written = '';
  let from = 0;
  const visitUri = ({ start, end }: Span) => {
    const uri: unknown = JSON.parse(json.slice(start, end));
    const publicUri = typeof uri === 'string' ? toPublicUri(serverId, uri) : uri;
    if (typeof publicUri !== 'string' || publicUri === uri) return;
    written += json.slice(from, start) + JSON.stringify(publicUri);
    from = end;
  };
  const visit = (start: number, depth: number) => {
    if (depth > MAX_DEPTH) return;
    if (json[start] === '[') for (const element of readElements(json, start)) visit(element.start, depth + 1);
    if (json[start] !== '{') return;
    for (const member of readMembers(json, start)) {
      if (OPAQUE_MEMBERS.has(member.key)) continue;
      if (URI_MEMBERS.has(member.key) && json[member.start] === '"') visitUri(member);
      else visit(member.start, depth + 1);
    }
  };
  visit(0, 0);
  return from === 0 ? undefined : written + json.slice(from);
}

/** Rewrites the URIs in the `_meta` of a definition. */
export function rewriteMetaUris(json: string, serverId: string): string {
  // Few definitions have it, and this is faster to find out than the rest.
  if (!json.includes('_meta') || !mayNameResource(json)) return json;
  const [meta, ...more] = readMembers(json).filter(({ key }) => key === '_meta');
  // Which of two members counts depends on the parser of the client.
  if (meta === undefined || more.length > 0) return json;
  const rewritten = rewriteUris(json.slice(meta.start, valueEnd(json, meta.start)), serverId);
  return rewritten === undefined ? json : json.slice(0, meta.start) + rewritten + json.slice(meta.end);
}

/** Returns whether the `_meta` of a tool names the interface of an app. */
export function namesUi(json: string): boolean {
  return json.includes('_meta') && UI_URI.test(json) && rewriteMetaUris(json, '') !== json;
}

const UI_URI = /"ui:\\?\/\\?\//;

/** Returns whether the text may contain a URI to rewrite. Some servers escape slashes. */
function mayNameResource(json: string): boolean {
  return json.includes('ui:') || json.includes('skill:');
}
