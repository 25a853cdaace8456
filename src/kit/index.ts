/** The kit: an MCP tool server in ten lines. Every export here is public API. */
export { AppError, type ErrorCode } from '../base/errors.ts';
export type { ElicitOptions, ElicitRequest, ElicitResult } from '../serve/client-requests/elicitation.ts';
export type { Root } from '../serve/client-requests/roots.ts';
export type { SampleContent, SampleMessage, SampleRequest, SampleResult } from '../serve/client-requests/sampling.ts';
export type { Completer, Completers } from '../serve/completion/completer.ts';
export type { Progress, ToolContext } from '../serve/context.ts';
export { StdioTransport, type StdioTransportOptions } from '../serve/fronts/stdio.ts';
export type { Transport, TransportReceiver } from '../serve/fronts/transport.ts';
export type { LogLevel } from '../serve/log-levels.ts';
export type { PromptDefinition, PromptHandler } from '../serve/prompts/prompt-definition.ts';
export {
  type AnyToolCallResult,
  type BlobResource,
  type JsonSchema,
  type MediaContent,
  type PromptMessage,
  type Request,
  type Resource,
  type ResourceContent,
  type ResourceContents,
  type ResourceTemplate,
  Response,
  type TextContent,
  type TextResource,
  type Tool,
  type ToolAnnotations,
  type ToolCallParams,
  type ToolCallResult,
  type ToolResultContent,
  type ToolsListResult,
} from '../serve/protocol.ts';
export type {
  ResourceContext,
  ResourceDefinition,
  ResourceReader,
  ResourceTemplateDefinition,
  ResourceTemplateReader,
} from '../serve/resources/resource-definition.ts';
export { type Handler, serve } from '../serve/serve.ts';
export { serveClient } from '../serve/serve-client.ts';
export type { ClientInfo, ServedClient } from '../serve/served-client.ts';
export { createServer, type Server, type ServerInfo, type ServerOptions } from '../serve/server.ts';
export type { Refusal } from '../serve/tools/refusals.ts';
export type { Schema, StandardSchema } from '../serve/tools/schema.ts';
export type { ToolDefinition, ToolHandler } from '../serve/tools/tool-definition.ts';
export type { RequestId } from '../wire/messages.ts';
export { type HttpServing, type ServeHttpOptions, serveHttp } from './serve-http.ts';
export { serveStdio } from './serve-stdio.ts';
