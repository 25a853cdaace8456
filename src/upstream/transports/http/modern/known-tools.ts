import { type Frame, frameBytes, frameText } from '../../../../wire/frame.ts';
import { isObject } from '../../../../wire/messages.ts';
import { type ParamHeader, readParamHeaders } from './param-headers.ts';

/** What is known of the tools of a server that concerns the way in which they are called. */
export interface KnownTools {
  /** A page of the list passes by. Gives the page without the tools that must not be called, and why. */
  listed(frame: Frame): { readonly frame: Frame; readonly dropped: readonly string[] };
  headersOf(tool: string): readonly ParamHeader[];
}

const MARK = Buffer.from('x-mcp-header');

/** Most servers never use this, and their lists are not even parsed. */
export function createKnownTools(): KnownTools {
  const known = new Map<string, readonly ParamHeader[]>();
  return {
    headersOf: (tool) => known.get(tool) ?? [],
    listed(frame) {
      if (frameBytes(frame).indexOf(MARK) === -1) return { frame, dropped: [] };
      const message = parse(frame);
      const result = isObject(message) ? message['result'] : undefined;
      const tools = isObject(result) ? result['tools'] : undefined;
      if (!isObject(message) || !isObject(result) || !Array.isArray(tools)) return { frame, dropped: [] };
      const dropped: string[] = [];
      const kept = tools.filter((tool) => {
        const name = isObject(tool) ? String(tool['name']) : '';
        const headers = readParamHeaders(isObject(tool) ? tool['inputSchema'] : undefined);
        if (typeof headers === 'string') dropped.push(`tool ${JSON.stringify(name)} is left out: ${headers}`);
        else known.set(name, headers);
        return typeof headers !== 'string';
      });
      if (dropped.length === 0) return { frame, dropped };
      return { frame: [Buffer.from(JSON.stringify({ ...message, result: { ...result, tools: kept } }))], dropped };
    },
  };
}

function parse(frame: Frame): unknown {
  try {
    return JSON.parse(frameText(frame));
  } catch {
    // Whoever reads the list will say so.
    return undefined;
  }
}
