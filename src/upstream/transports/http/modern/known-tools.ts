import { type Frame, frameBytes } from '../../../../wire/frame.ts';
import { scanElements, scanMembers } from '../../../../wire/json/scan.ts';
import { isObject } from '../../../../wire/messages.ts';
import { type ParamHeader, readParamHeaders } from './param-headers.ts';

/** What is known of the tools of a server that concerns the way in which they are called. */
export interface KnownTools {
  /** A page of the list passes by. Gives the page without the tools that must not be called, and why; the same once. */
  listed(frame: Frame): { readonly frame: Frame; readonly dropped: readonly string[] };
  headersOf(tool: string): readonly ParamHeader[];
}

const HEADER_KEYWORD = Buffer.from('x-mcp-header');
/** Lists are read again and again, and their servers are strangers. */
const MAX_REPORTED = 100;

/** Most servers never use this, and their lists are not even parsed. */
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

/** A page of a list of tools: each as it is written, and the page with others in their place. */
interface Page {
  readonly tools: readonly string[];
  with(tools: readonly string[]): Buffer;
}

function findTools(bytes: Buffer): Page | undefined {
  const result = scanMembers(bytes)?.findLast(({ key }) => key === 'result');
  const list = result && scanMembers(bytes, result.start, result.end)?.findLast(({ key }) => key === 'tools');
  if (list === undefined || bytes[list.start] !== OPEN_BRACKET || !isJson(bytes)) return undefined;
  const array = bytes.subarray(list.start, list.end);
  return {
    tools: scanElements(array).map(({ start, end }) => array.toString('utf8', start, end)),
    with: (tools) =>
      Buffer.concat([bytes.subarray(0, list.start), Buffer.from(`[${tools.join(',')}]`), bytes.subarray(list.end)]),
  };
}

const OPEN_BRACKET = 91;

/** Whoever reads the list says what is wrong with it. */
function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
