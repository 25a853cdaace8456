export { AppError } from '../base/errors.ts';
export type { ServerDetail, ServerState, ServerSummary, ToolSummary } from '../control/status.ts';
export type { AgentTool, RunOptions } from './agent-tool.ts';
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
export type { Progress } from './host-request.ts';
export type { PiecePlace, ResultPiece } from './kept-results.ts';
export type {
  Decision,
  PermissionAnswer,
  PermissionOptions,
  PermissionQuestion,
  PermissionRule,
} from './permissions.ts';
export type { HostPrompt, HostPrompts, PromptMessages } from './prompts.ts';
export type { HostResource, HostResources, ReadResource } from './resources.ts';
export type { EmbeddedResource, LinkLabels, ToolContent } from './result-pieces.ts';
export type { ToolMessage } from './tool-message.ts';
