import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { ExplainedTool } from '../../../gateway/status/explain-tools.ts';
import { formatJson } from '../../terminal/format-json.ts';
import type { Explanation } from './explain.ts';

/** Formats one JSON document. Copies schemas as text, because parsing would change numbers. */
export function toDocument({ subject, status, entry, problems, profile, tools }: Explanation): string {
  const { id, state, reason, next, protocolVersion, changedTools, lastWords, strayOutput } = status;
  const head = {
    ...{ server: id, tool: subject.tool, profile },
    ...{ state, reason, next, protocolVersion, problems: status.problems, lastWords, strayOutput },
    config: {
      ...subject.server.origin,
      values: entry?.values ?? [],
      defaults: entry?.defaults ?? [],
      overridden: entry?.overridden ?? [],
      problems,
    },
    listed: tools?.listed ?? 'never',
    changedTools,
    leftOut: tools?.leftOut ?? [],
    unheard: tools?.unlistedServers ?? [],
  };
  return withMember(head, 'tools', `[${(tools?.tools ?? []).map(toolJson).join(',')}]`);
}

function toolJson({ before, after, ...tool }: ExplainedTool): string {
  return withMember(tool, 'schema', `{"before":${formatJson(before, '')},"after":${formatJson(after, '')}}`);
}

/** Appends a member whose value is already JSON. */
function withMember(object: object, key: string, json: string): string {
  return `${escapeInvisible(JSON.stringify(object)).slice(0, -1)},${JSON.stringify(key)}:${json}}`;
}
