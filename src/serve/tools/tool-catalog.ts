import { AppError } from '../../base/errors.ts';
import type { DefinedTool } from './tool-definition.ts';

/** The tools that a server offers, by name. */
export interface ToolCatalog {
  /** Adds a tool. Throws if the name is taken. */
  add(entry: DefinedTool): void;
  /** Removes a tool. Returns false if there is no such tool. */
  remove(name: string): boolean;
  find(name: string): DefinedTool | undefined;
  names(): string[];
  /** Returns the member `tools` of a list result as JSON text. Serialized once per change. */
  listJson(): string;
}

/** Creates an empty catalog. Calls `onChange` after each change. */
export function createToolCatalog(onChange: () => void): ToolCatalog {
  const tools = new Map<string, DefinedTool>();
  let json: string | undefined;

  const changed = () => {
    json = undefined;
    onChange();
  };

  return {
    add(entry) {
      const { name } = entry.tool;
      if (tools.has(name)) throw new AppError('TOOL_INVALID', `The tool ${JSON.stringify(name)} is defined twice.`);
      tools.set(name, entry);
      changed();
    },
    remove(name) {
      const removed = tools.delete(name);
      if (removed) changed();
      return removed;
    },
    find: (name) => tools.get(name),
    names: () => [...tools.keys()],
    listJson() {
      json ??= `"tools":${JSON.stringify([...tools.values()].map((entry) => entry.tool))}`;
      return json;
    },
  };
}
