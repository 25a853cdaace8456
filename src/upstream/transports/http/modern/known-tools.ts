import { isJson } from '../../../../base/text/is-json.ts';
import { type ParamHeader, readParamHeaders } from '../../../../schema/param-headers.ts';
import { type Frame, frameBytes } from '../../../../wire/frame.ts';
import { scanElements, scanMembers } from '../../../../wire/json/scan.ts';
import { isObject } from '../../../../wire/messages.ts';

/** The headers that calls of a server's tools require. */
export interface KnownTools {
  /** Reads a page of the tool list. Returns it without the unusable tools, and the reasons. Repeats no reason. */
  listed(frame: Frame): { readonly frame: Frame; readonly dropped: readonly string[] };
  headersOf(tool: string): readonly ParamHeader[];
}

const HEADER_KEYWORD = Buffer.from('x-mcp-header');
/** Limit of remembered reasons: lists are read repeatedly, and servers are untrusted. */
const MAX_REPORTED = 100;

/** Creates the registry. It does not parse lists without the keyword, which most servers never use. */
export function createKnownTools(): KnownTools {
  const known = new Map<string, readonly ParamHeader[]>();
  const reported = new Set<string>();
  return {
    headersOf: (tool) => known.get(tool) ?? [],
    listed(frame) {
      if (known.size === 0 && frameBytes(frame).indexOf(HEADER_KEYWORD) === -1) return { frame, dropped: [] };
      const page = findTools(frameBytes(frame));
      if (page === undefined) return { frame, dropped: [] };
      const dropped: string[] = [];
      const kept = page.tools.filter((json) => {
        const tool: unknown = JSON.parse(json);
        const name = isObject(tool) ? String(tool['name']) : '';
        const headers = readParamHeaders(isObject(tool) ? tool['inputSchema'] : undefined);
        known.delete(name);
        if (typeof headers === 'string') dropped.push(`tool ${JSON.stringify(name)} is left out: ${headers}`);
        else if (headers.length > 0) known.set(name, headers);
        return typeof headers !== 'string';
      });
      const newlyDropped = dropped.filter(
        (why) => !reported.has(why) && reported.size < MAX_REPORTED && reported.add(why),
      );
      return { frame: dropped.length === 0 ? frame : [page.with(kept)], dropped: newlyDropped };
    },
  };
}

/** A page of a tool list: each tool as JSON text, and a function that returns the page with other tools. */
interface Page {
  readonly tools: readonly string[];
  with(tools: readonly string[]): Buffer;
}

function findTools(bytes: Buffer): Page | undefined {
  const result = scanMembers(bytes)?.findLast(({ key }) => key === 'result');
  const list = result && scanMembers(bytes, result.start, result.end)?.findLast(({ key }) => key === 'tools');
  if (list === undefined || bytes[list.start] !== OPEN_BRACKET || !isJson(bytes.toString('utf8'))) return undefined;
  const array = bytes.subarray(list.start, list.end);
  return {
    tools: scanElements(array).map(({ start, end }) => array.toString('utf8', start, end)),
    with: (tools) =>
      Buffer.concat([bytes.subarray(0, list.start), Buffer.from(`[${tools.join(',')}]`), bytes.subarray(list.end)]),
  };
}

const OPEN_BRACKET = 91;
