import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { createReadResultTool } from '../results/read-result-tool.ts';
import { type HostServer, offeredTools } from '../servers/host-server.ts';
import type { HostServers } from '../servers/host-servers.ts';
import { type HostResources, LIST_TIMEOUT_MS } from '../servers/resources.ts';
import { type AgentTool, type ToolRuntime, toAgentTool } from './agent-tool.ts';
import { toPromptTool } from './prompt-tools.ts';
import { createResourceTools } from './resource-tools.ts';

export interface ToolsOptions {
  /** Time limit for servers that are starting. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** All tools that the agent may call, by name. */
export interface AgentTools {
  list(options?: ToolsOptions): Promise<readonly AgentTool[]>;
  /** Finds a tool among the lists known now. */
  find(name: string): AgentTool | undefined;
  /** Finds a tool after every starting server has listed its tools. */
  waitFor(name: string, signal?: AbortSignal): Promise<AgentTool | undefined>;
  unknown(name: string): AppError;
}

export interface AgentToolsOptions {
  readonly servers: HostServers;
  readonly resources: HostResources;
  readonly runtime: ToolRuntime;
  readonly hasPrompts: boolean;
}

export function createAgentTools({ servers, resources, runtime, hasPrompts }: AgentToolsOptions): AgentTools {
  /** An unchanged definition keeps its tool. */
  const cachedTools = new WeakMap<Definition, AgentTool>();
  const getOrCreate = (definition: Definition, create: () => AgentTool): AgentTool => {
    const tool = cachedTools.get(definition) ?? create();
    cachedTools.set(definition, tool);
    return tool;
  };
  const kinds: readonly ListKind[] = hasPrompts ? ['tools', 'prompts'] : ['tools'];
  const { storedResults, maxResultBytes } = runtime;
  const readResultTool = createReadResultTool(
    storedResults,
    maxResultBytes === undefined ? {} : { maxBytes: maxResultBytes },
  );
  const hostTools: readonly AgentTool[] = [
    ...createResourceTools(resources, runtime),
    { ...readResultTool, run: async (args) => readResultTool.run(args) },
  ];

  const toolsOfServer = (server: HostServer): readonly AgentTool[] => {
    const tools = offeredTools(server).map((tool) => getOrCreate(tool, () => toAgentTool(server, tool, runtime)));
    if (!hasPrompts) return tools;
    const prompts = server.catalog
      .list('prompts')
      .items.map((prompt) => getOrCreate(prompt, () => toPromptTool(server, prompt, runtime)));
    return [...tools, ...prompts];
  };
  // In parallel, so that the time limit applies to all kinds together.
  const settled = (timeoutMs: number, signal: AbortSignal | undefined) =>
    Promise.all(kinds.map((kind) => servers.settled(kind, { timeoutMs, signal })));
  const table = createTable(servers, () => [...hostTools, ...servers.all.flatMap(toolsOfServer)]);
  return {
    async list(options) {
      const { timeoutMs = LIST_TIMEOUT_MS, signal } = options ?? {};
      await settled(timeoutMs, signal);
      return servers.isClosed() ? [] : [...table().values()];
    },
    find: (name) => table().get(name),
    async waitFor(name, signal) {
      for (const { catalog } of servers.all) kinds.forEach(catalog.retry);
      await settled(LIST_TIMEOUT_MS, signal);
      return table().get(name);
    },
    unknown(name) {
      const written = oneLine(JSON.stringify(name) ?? String(name), 200);
      return new AppError(
        'TOOL_NOT_FOUND',
        `There is no tool ${written}: its server may have been removed, or the tool never existed. List the tools again.`,
      );
    },
  };
}

/**
 * Indexes the tools by name. Rebuilds the index only when a list or the held-back tools change, because every call
 * looks up a name.
 */
function createTable({ all }: HostServers, make: () => readonly AgentTool[]): () => ReadonlyMap<string, AgentTool> {
  let sources: readonly unknown[] | undefined;
  let table: ReadonlyMap<string, AgentTool> = new Map();
  return () => {
    const now = all.flatMap(({ catalog, quarantineRevision }) => [
      catalog.list('tools'),
      catalog.list('prompts'),
      quarantineRevision(),
    ]);
    if (sources?.length === now.length && now.every((source, index) => source === sources?.[index])) return table;
    sources = now;
    const named = new Map<string, AgentTool>();
    // Of two tools with one name the first stays: a server cannot replace an existing tool.
    for (const tool of make()) if (!named.has(tool.name)) named.set(tool.name, tool);
    table = named;
    return table;
  };
}
