import { withOptionalNulls } from '../serve/optional-nulls.ts';
import { createServer, type Server } from '../serve/server.ts';
import { addCodexPrompts } from './prompts/codex-prompts.ts';
import type { ServerContext } from './server-context.ts';
import { CODEX_SERVER_INFO } from './server-info.ts';
import { addSessionResources } from './session-resources.ts';
import { diffTool } from './tools/diff.ts';
import { forkTool } from './tools/fork.ts';
import { interruptTool } from './tools/interrupt.ts';
import { listTool } from './tools/list.ts';
import { modelsTool } from './tools/models.ts';
import { readTool } from './tools/read.ts';
import { respondTool } from './tools/respond.ts';
import { reviewTool } from './tools/review.ts';
import { sayTool } from './tools/say.ts';
import { startTool } from './tools/start.ts';
import { statusTool } from './tools/status.ts';
import type { CodexTool } from './tools/tool.ts';
import { usageTool } from './tools/usage.ts';
import { waitTool } from './tools/wait.ts';

/** The tools that most agents need. More tools make it harder for a model to choose. */
const CORE_TOOLS: readonly CodexTool[] = [
  startTool,
  sayTool,
  statusTool,
  respondTool,
  interruptTool,
  listTool,
  waitTool,
];

const EXTRA_TOOLS: readonly CodexTool[] = [forkTool, reviewTool, diffTool, readTool, modelsTool, usageTool];

export interface CodexServerOptions {
  readonly hasAllTools: boolean;
  readonly onError: (error: unknown, tool: string) => void;
}

/** Creates an MCP server with Codex tools and prompts, and with the sessions as resources. */
export function createCodexServer(serverContext: ServerContext, { hasAllTools, onError }: CodexServerOptions): Server {
  const server = createServer(CODEX_SERVER_INFO.info, { onError });
  for (const { name, definition, run } of hasAllTools ? [...CORE_TOOLS, ...EXTRA_TOOLS] : CORE_TOOLS) {
    const input = withOptionalNulls(definition.input ?? {});
    server.tool(name, { ...definition, input }, (args, context) => run(args, context, serverContext));
  }
  addCodexPrompts(server, serverContext, { hasReviewTool: hasAllTools });
  addSessionResources(server, serverContext);
  return server;
}
