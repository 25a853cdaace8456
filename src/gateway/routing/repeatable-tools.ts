import { isSafeToRepeat } from '../../schema/definitions/definition.ts';
import { readDefinitionList } from '../../schema/definitions/definition-list.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';

/** The tools of a single server that may run twice, learned from the lists that pass through. */
export interface RepeatableTools {
  /** Reads the response to a `tools/list` request, after it was forwarded. */
  listed(frame: Frame): void;
  has(tool: string): boolean;
}

const MAX_TOOLS = 10_000;

export function createRepeatableTools(): RepeatableTools {
  const names = new Set<string>();
  const read = (frame: Frame) => {
    const tools = rawMember(Buffer.from(rawMember(frameBytes(frame), 'result') ?? '{}'), 'tools');
    if (tools?.startsWith('[') !== true) return;
    for (const definition of readDefinitionList('tools', [Buffer.from(tools)]).items) {
      if (!isSafeToRepeat(definition)) names.delete(definition.key);
      else if (names.size < MAX_TOOLS) names.add(definition.key);
    }
  };
  return {
    // The client gets its list first.
    listed: (frame) => void setImmediate(read, frame),
    has: (tool) => names.has(tool),
  };
}
