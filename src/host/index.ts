export { AppError } from '../base/errors.ts';
export type { ServerDetail, ServerState, ServerSummary, ToolSummary } from '../control/status/running-status.ts';
export type { Progress } from '../upstream/connection/own-request.ts';
export { createHost, type Host } from './create-host.ts';
export type {
  Elicitation,
  ElicitationAnswer,
  FormElicitation,
  FormSchema,
  HostOptions,
  Sampling,
  SignInAnswer,
  SignInRequest,
  UrlElicitation,
} from './host-options.ts';
export type {
  Decision,
  PermissionAnswer,
  PermissionOptions,
  PermissionQuestion,
  PermissionRule,
} from './permissions/permission-options.ts';
export type { EmbeddedResource, LinkLabels, ToolContent } from './results/result-pieces.ts';
export type { PiecePlace, ResultPiece } from './results/stored-results.ts';
export type { ToolMessage } from './results/tool-message.ts';
export type { HostPrompt, HostPrompts, PromptMessages } from './servers/prompts.ts';
export type { HostResource, HostResources, ReadResource } from './servers/resources.ts';
export type { AgentTool, RunOptions } from './tools/agent-tool.ts';
